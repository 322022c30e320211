/** Beside the prompt: other things to try, which open under it, and the model that answers in place of the pair. */

import { el } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { withStage } from "../stage/of_page.js";
import { shortName } from "../steer/book.js";

export class Another extends HTMLElement {
  connectedCallback() {
    if (this.button) return;
    this.button = el(
      "button",
      { type: "button", className: "another", "aria-expanded": "false", onclick: () => this.open(!this.isOpen) },
      el("span", {}, t("try another")),
      " ▾",
    );
    this.with = el("button", { type: "button", className: "with", hidden: true });
    this.append(this.button, this.with);
    withStage((unmask) => {
      unmask.frames.add(() => this.show(unmask));
      this.with?.addEventListener("click", () => this.takeBack(unmask));
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.isOpen) return;
      if (event.target instanceof Element && event.target.closest("unmask-ask")) return; // what it opened closes first
      this.open(false);
      this.button?.focus();
    });
    // what was chosen there is about to run: it has been read
    document.addEventListener("click", (event) => {
      const chosen = event.target instanceof Element && event.target.closest("#examples button, .shape button, #run");
      if (chosen) this.open(false);
    });
  }

  /** @type {HTMLButtonElement | undefined} */
  button;

  /** @type {HTMLButtonElement | undefined} it answers own prompts; pressed, no longer */
  with;

  /** @param {import("../stage/controller.js").Controller} unmask */
  show({ runs }) {
    const [model = ""] = runs.choice;
    if (!this.with || this.with.dataset.model === model) return;
    this.with.dataset.model = model;
    this.with.hidden = !model;
    const name = shortName(model).replace(/-diffusion-.*/, "");
    this.with.replaceChildren(
      el("span", {}, t("with {model}", { model: name })),
      el("span", { ariaHidden: "true" }, " ✕"),
    );
    this.with.ariaLabel = t("with {model}: let the pair of this page answer again", { model: name });
  }

  /** The pair answers again.
   * @param {import("../stage/controller.js").Controller} unmask
   */
  takeBack(unmask) {
    const { choice } = unmask.runs;
    unmask.runs.comeHome();
    const go = () => unmask.answerWith(choice);
    unmask.note(t("The pair of this page answers again."), false, { text: t("Ask it after all"), go });
    document.getElementById("run")?.focus();
  }

  get isOpen() {
    return document.documentElement.hasAttribute("data-trying");
  }

  /** @param {boolean} open */
  open(open) {
    document.documentElement.toggleAttribute("data-trying", open);
    this.button?.setAttribute("aria-expanded", String(open));
  }
}
