/** The writing mode: a text of one's own, spans of it opened for the model, and whose each word is. */

import { el, say } from "../looks/dom.js";
import { setField } from "../ask/fields.js";
import { spelled } from "../stage/quality.js";
import { unmask } from "../stage/controller.js";
import { opened, partsOf, roomOf, summary } from "./gaps.js";

export class Writer {
  constructor() {
    this.opener = el(
      "button",
      {
        type: "button",
        className: "can",
        "aria-expanded": "false",
        onclick: () => this.unfold(Boolean(this.panel.hidden)),
      },
      "Write or edit a text",
    );
    this.text = el("textarea", {
      rows: 4,
      "aria-label": "Your text",
      placeholder: "Type or paste a text; ___ or [MASK:6] is a gap",
      spellcheck: false,
      oninput: () => this.show(),
    });
    this.free = el("input", { type: "checkbox", checked: true, id: "unmask-free-length" });
    this.status = el("p", { className: "status", role: "status" });
    this.preview = el("p", { className: "preview", "aria-hidden": "true" });
    const button = (/** @type {string} */ text, /** @type {string} */ title, /** @type {() => void} */ onclick) =>
      el("button", { type: "button", title, onclick }, text);
    this.panel = el(
      "form",
      {
        className: "writer",
        hidden: true,
        "aria-label": "Write or edit a text",
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
        button("Open the selected words", "Let the model write these words anew", () => this.cut()),
        button("Gap at the cursor", "Something is missing here", () => this.cut(true)),
        button("Take the text from the stage", "Go on with what stands there now", () => this.fetch()),
        el("label", { for: "unmask-free-length" }, this.free, " Gaps may grow and shrink"),
        el("button", { type: "submit", className: "fill" }, "Fill the gaps"),
      ),
      this.status,
      this.preview,
    );
    this.show();
  }

  /**
   * @param {boolean} open
   * @param {boolean} [back] the keyboard goes back to what opened it
   */
  unfold(open, back = false) {
    this.panel.hidden = !open;
    this.opener.setAttribute("aria-expanded", String(open));
    if (open) this.text.focus();
    else if (back) this.opener.focus();
  }

  /** Open what is selected, or with nothing selected make a gap.
   * @param {boolean} [here] a gap at the cursor, whatever is selected
   */
  cut(here = false) {
    const { selectionStart: from, selectionEnd: to, value } = this.text;
    if (!here && from === to) return say(this.status, "Select the words first that the model is to write anew.");
    const made = opened(value, here ? to : from, to);
    this.text.value = made.text;
    this.show();
    this.text.focus();
    this.text.setSelectionRange(made.caret, made.caret);
  }

  fetch() {
    const number = unmask.selection.side;
    this.text.value = spelled(unmask.side(number), unmask.at(number)).text.trimStart();
    this.show();
    this.text.focus();
  }

  fill() {
    const { value } = this.text;
    if (!partsOf(value).some(({ cells }) => cells)) return this.show();
    const room = this.free.checked ? roomOf(value) : 0;
    setField("prompt", value);
    setField("room", room);
    this.unfold(false);
    void unmask.run({ prompt: value, room }, true);
  }

  show() {
    say(this.status, summary(this.text.value));
    const parts = partsOf(this.text.value);
    this.preview.replaceChildren(
      ...(parts.some(({ cells }) => cells) ? parts : []).map(({ text, cells }) =>
        cells
          ? el("span", { className: "gap", title: `${cells} cells for the model` }, "▢".repeat(Math.min(cells, 12)))
          : el("span", { className: "own" }, text),
      ),
    );
  }
}
