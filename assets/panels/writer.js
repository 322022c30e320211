/** The writing mode: a text of one's own, spans of it opened for the model, and whose each word is. */

import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { setField } from "../ask/fields.js";
import { fixedLength, opened, ownFrom, partsOf, roomOf, summary } from "../ask/gaps.js";
import { takenText } from "../ask/taken.js";

export class Writer {
  /** @param {import("../stage/controller.js").Controller} unmask */
  constructor(unmask) {
    this.unmask = unmask;
    this.opener = el(
      "button",
      {
        type: "button",
        className: "can",
        "aria-expanded": "false",
        onclick: () => this.unfold(Boolean(this.panel.hidden)),
      },
      t("Write or edit a text"),
    );
    this.text = el("textarea", {
      rows: 4,
      "aria-label": t("Your text"),
      placeholder: t("Type or paste a text; ___ or [MASK:6] is a gap"),
      spellcheck: false,
      oninput: () => this.show(),
    });
    this.free = el("input", { type: "checkbox", checked: true, id: "unmask-free-length" });
    this.status = el("p", { className: "status", role: "status" });
    this.fixed = el("p", { className: "fixed", role: "status" });
    this.preview = el("p", { className: "preview", "aria-hidden": "true" });
    this.whose = el(
      "p",
      { className: "whose", "aria-hidden": "true" },
      el("span", { className: "front" }, t("the prompt's")),
      el("span", { className: "own" }, t("yours")),
      el("span", { className: "gap" }, "▢"),
      t("the model's"),
    );
    const button = (/** @type {string} */ text, /** @type {string} */ title, /** @type {() => void} */ onclick) =>
      el("button", { type: "button", title, onclick }, text);
    this.panel = el(
      "form",
      {
        className: "writer",
        hidden: true,
        "aria-label": t("Write or edit a text"),
        onsubmit: (/** @type {SubmitEvent} */ event) => {
          event.preventDefault();
          this.fill();
        },
        onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && this.unfold(false, true),
      },
      this.text,
      el(
        "div",
        { className: "tools" },
        button(t("Open the selected words"), t("Let the model write these words anew"), () => this.cut()),
        button(t("Gap at the cursor"), t("Something is missing here"), () => this.cut(true)),
        button(t("Take the text from the stage"), t("Go on with what stands there now"), () => this.fetch()),
        el("label", { for: "unmask-free-length" }, this.free, " ", t("Gaps may grow and shrink")),
        el("button", { type: "submit", className: "fill" }, t("Fill the gaps")),
      ),
      this.status,
      this.fixed,
      this.preview,
      this.whose,
    );
    addEventListener("unmask-write", (event) => {
      const { side, cells } = /** @type {CustomEvent<{side: number, cells: number[]}>} */ (event).detail;
      this.unfold(true);
      this.fetch(side, cells);
    });
    this.show();
  }

  prompt = ""; // that the text was taken with: as long as it begins so, that part is the prompt's

  /**
   * @param {boolean} open
   * @param {boolean} [back] the keyboard goes back to what opened it
   */
  unfold(open, back = false) {
    this.panel.hidden = !open;
    this.opener.setAttribute("aria-expanded", String(open));
    this.show(); // a rule may have come
    if (open) this.text.focus();
    else if (back) this.opener.focus();
  }

  /** Open what is selected, or with nothing selected make a gap.
   * @param {boolean} [here] a gap at the cursor, also where words are selected
   */
  cut(here = false) {
    const { selectionStart: from, selectionEnd: to, value } = this.text;
    if (!here && from === to) return say(this.status, t("Select the words first that the model is to write anew."));
    const made = opened(value, here ? to : from, to);
    this.text.value = made.text;
    this.show();
    this.text.focus();
    this.text.setSelectionRange(made.caret, made.caret);
  }

  /** Go on with what stands on the stage.
   * @param {number} [number] the side
   * @param {number[]} [cells] that are to be written anew
   */
  fetch(number = this.unmask.selection.side, cells = []) {
    const { text, prompt } = takenText(this.unmask.side(number), this.unmask.player.at(number), cells);
    this.text.value = text;
    this.prompt = prompt;
    this.show();
    this.text.focus();
  }

  fill() {
    const { value } = this.text;
    if (!partsOf(value).some(({ cells }) => cells)) return this.show();
    const room = this.free.checked && !this.free.disabled ? roomOf(value) : 0;
    const letters = Array.from(value.slice(0, ownFrom(value, this.prompt))).length; // as the engine counts them
    this.unmask.runs.ownText(value, letters);
    setField("prompt", value);
    setField("room", room);
    this.unfold(false);
    void this.unmask.run({ prompt: value, room }, true);
  }

  show() {
    const text = this.text.value;
    const from = ownFrom(text, this.prompt);
    const why = fixedLength(this.unmask.values, this.unmask.side(0).head.model ?? {});
    say(this.status, summary(text, from));
    say(this.fixed, why);
    this.free.disabled = why !== "";
    const parts = partsOf(text.slice(from));
    const gaps = parts.some(({ cells }) => cells);
    this.whose.hidden = !gaps;
    this.preview.replaceChildren(
      ...(gaps && from ? [el("span", { className: "front" }, text.slice(0, from))] : []),
      ...(gaps ? parts : []).map(({ text: part, cells }) =>
        cells
          ? el(
              "span",
              { className: "gap", title: t("{n} cells for the model", { n: cells }) },
              "▢".repeat(Math.min(cells, 12)),
            )
          : el("span", { className: "own" }, part),
      ),
    );
  }
}
