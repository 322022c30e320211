/** Beside the prompt: other things to try, which open under it. */

import { el } from "../looks/dom.js";
import { t } from "../looks/language.js";

export class Another extends HTMLElement {
  connectedCallback() {
    if (this.button) return;
    this.button = el(
      "button",
      { type: "button", className: "another", "aria-expanded": "false", onclick: () => this.open(!this.isOpen) },
      el("span", {}, t("try another")),
      " ▾",
    );
    this.append(this.button);
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

  get isOpen() {
    return document.documentElement.hasAttribute("data-trying");
  }

  /** @param {boolean} open */
  open(open) {
    document.documentElement.toggleAttribute("data-trying", open);
    this.button?.setAttribute("aria-expanded", String(open));
  }
}
