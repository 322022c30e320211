/** The steer bar: what a person can do to the selected cells. */

import { into, onSubmit } from "../looks/fields.js";
import { t } from "../looks/language.js";
import { html, render } from "../vendor/lit-html.js";

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
  { act: "insert", text: "Insert", title: "Insert as many open cells as are selected, before them" },
  { act: "remove", text: "Remove", title: "Take the selected cells out" },
  { act: "fork", text: "Fork here", title: "Go on from the shown moment as a branch of its own", bare: true },
  { act: "undo", text: "Undo", title: "Go back to before the last change (Control+Z)", bare: true },
  { act: "redo", text: "Redo", title: "Do again what was undone (Control+Shift+Z)", bare: true },
];

/** @typedef {{pinned: boolean, given: boolean, undo: boolean, redo: boolean}} Can */

export class SteerBar {
  node = document.createElement("div");
  word = ""; // as it is typed

  /** @param {Steering} steer */
  constructor(steer) {
    this.steer = steer;
    this.node.className = "steer";
    this.node.role = "group";
    this.node.ariaLabel = t("Steer");
  }

  /**
   * Which cells it acts on, and what can be done with them: what cannot is not shown.
   * @param {string} side
   * @param {number[]} cells
   * @param {boolean} ready
   * @param {Can} can
   */
  aim(side, cells, ready, can) {
    const [first = 0, last = first] = [cells[0], cells[cells.length - 1]];
    const where = cells.length > 1 ? t("places {first} to {last}", { first, last }) : t("place {n}", { n: first });
    const wanted =
      cells.length > 1 ? t("type words") : cells.length ? t("type a word") : t("select a word, type another");
    const pin = onSubmit(() => {
      this.steer("pin", this.word);
      this.word = "";
      this.aim(side, cells, ready, can);
    });
    this.node.dataset.cells = cells.join(" ");
    render(
      html`<span class="target">${cells.length ? `${side}, ${where}` : t("Steer")}</span>
        <form class="pinning" ?hidden=${can.given} @submit=${pin}>
          <input
            type="text"
            class="word"
            autocomplete="off"
            spellcheck="false"
            maxlength="200"
            aria-label=${t("Word to pin in the selected cell")}
            placeholder=${wanted}
            .value=${this.word}
            @input=${into(this, "word")}
          />
          <button
            type="submit"
            class="strong"
            title=${t("Pin this word, or what is there (Enter)")}
            ?disabled=${!ready || !cells.length}
          >
            ${t("Pin")}
          </button>
        </form>
        <div class="acts">${ACTS.map((act) => this.button(act, ready, cells.length > 0, can))}</div>`,
      this.node,
    );
  }

  /**
   * @param {typeof ACTS[number]} act
   * @param {boolean} ready
   * @param {boolean} chosen there are cells to act on
   * @param {Can} can
   */
  button({ act, text, title, bare = false }, ready, chosen, { pinned, given, undo, redo }) {
    const possible = { release: pinned, undo, redo, ban: !given, boost: !given, remove: !given };
    return html`<button
      type="button"
      title=${t(title)}
      data-act=${act}
      ?hidden=${possible[/** @type {keyof typeof possible} */ (act)] === false}
      ?disabled=${!ready || (!bare && !chosen)}
      @click=${() => this.steer(act, this.word)}
    >
      ${act === "erase" && given ? t("Change the prompt") : t(text)}
    </button>`;
  }
}
