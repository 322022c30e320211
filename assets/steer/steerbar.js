/** The steer bar: what a person can do to the selected cells. */

import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";

/**
 * @typedef {import("./edits.js").Edit | "fork" | "undo" | "redo"} Act
 * @typedef {(act: Act, text: string) => void} Steering
 */

/** @type {{act: Act, text: string, title: string, bare?: boolean}[]} */
const ACTS = [
  { act: "release", text: "Release", title: "Let the model decide pinned cells again" },
  { act: "erase", text: "Erase", title: "Open the selected cells again (Delete)" },
  { act: "ban", text: "Ban word", title: "Never propose this word; what the model wrote of it opens again" },
  { act: "boost", text: "Boost word", title: "Make this word likelier everywhere" },
  { act: "insert", text: "Insert", title: "Insert an open cell before the selected one" },
  { act: "remove", text: "Remove", title: "Take the selected cells out" },
  { act: "fork", text: "Fork here", title: "Go on from the shown moment as a branch of its own", bare: true },
  { act: "undo", text: "Undo", title: "Go back to before the last change (Control+Z)", bare: true },
  { act: "redo", text: "Redo", title: "Do again what was undone (Control+Shift+Z)", bare: true },
];

export class SteerBar {
  /** @param {Steering} steer */
  constructor(steer) {
    this.word = el("input", {
      type: "text",
      className: "word",
      autocomplete: "off",
      spellcheck: false,
      "aria-label": t("Word to pin in the selected cell"),
      maxLength: 200,
    });
    this.target = el("span", { className: "target" }, t("Steer"));
    this.pin = el(
      "button",
      { type: "submit", className: "strong", title: t("Pin this word, or what is there (Enter)") },
      t("Pin"),
    );
    this.form = el(
      "form",
      {
        className: "pinning",
        onsubmit: (/** @type {SubmitEvent} */ event) => {
          event.preventDefault();
          steer("pin", this.word.value);
          this.word.value = "";
        },
      },
      this.word,
      this.pin,
    );
    this.buttons = ACTS.map(({ act, text, title, bare }) =>
      el(
        "button",
        {
          type: "button",
          title: t(title),
          "data-act": act,
          "data-bare": bare ? "yes" : "no",
          onclick: () => steer(act, this.word.value),
        },
        t(text),
      ),
    );
    this.node = el(
      "div",
      { className: "steer", role: "group", "aria-label": t("Steer") },
      this.target,
      this.form,
      el("div", { className: "acts" }, ...this.buttons),
    );
  }

  /**
   * Which cells it acts on, and what can be done with them: what cannot is not shown.
   * @param {string} side
   * @param {number[]} cells
   * @param {boolean} ready
   * @param {{pinned: boolean, given: boolean, undo: boolean, redo: boolean}} about
   */
  aim(side, cells, ready, { pinned, given, undo, redo }) {
    const [first = 0, last = first] = [cells[0], cells[cells.length - 1]];
    const where = cells.length > 1 ? t("places {first} to {last}", { first, last }) : t("place {n}", { n: first });
    this.word.placeholder =
      cells.length > 1 ? t("type words") : cells.length ? t("type a word") : t("select a word, type another");
    say(this.target, cells.length ? `${side}, ${where}` : t("Steer"));
    const shown = { release: pinned, undo, redo, ban: !given, boost: !given, remove: !given };
    for (const button of this.buttons) {
      const act = /** @type {keyof typeof shown} */ (button.dataset.act);
      button.hidden = shown[act] === false;
      if (button.dataset.act === "erase") say(button, given ? t("Change the prompt") : t("Erase"));
    }
    this.form.hidden = given;
    for (const button of this.buttons) button.disabled = !ready || (button.dataset.bare !== "yes" && !cells.length);
    this.pin.disabled = !ready || !cells.length;
    this.node.dataset.cells = cells.join(" ");
  }

  /** Begin to type a word.
   * @param {string} text
   */
  begin(text) {
    this.word.value = text;
    this.word.focus();
  }
}
