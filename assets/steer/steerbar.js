/** The steer bar: what a person can do to the selected cells. */

import { into, onSubmit } from "../looks/fields.js";
import { t } from "../looks/language.js";
import { html, render } from "../vendor/lit-html.js";

/**
 * @typedef {import("./edits.js").Edit | "fork" | "undo" | "redo"} Act
 * @typedef {(act: Act, text: string) => void} Steering
 * @typedef {{act: Act, text: string, title: string, bare?: boolean}} Button bare: it needs no cell
 */

/** @type {Button[]} */
const ACTS = [
  { act: "release", text: "Release", title: "Let the model decide pinned cells again" },
  { act: "erase", text: "Erase", title: "Open the selected cells again (Delete)" },
  { act: "insert", text: "Insert", title: "Insert as many open cells as are selected, before them" },
  { act: "undo", text: "Undo", title: "Go back to before the last change (Control+Z)", bare: true },
  { act: "redo", text: "Redo", title: "Do again what was undone (Control+Shift+Z)", bare: true },
];
/** @type {Button[]} */
const RARE = [
  { act: "remove", text: "Remove", title: "Take the selected cells out" },
  { act: "fork", text: "Fork here", title: "Go on from the shown moment as a branch of its own", bare: true },
];
/** @type {(Button & {is: "banned" | "plain" | "likelier"})[]} how likely the word is everywhere in the text */
const ANYWHERE = [
  {
    act: "ban",
    is: "banned",
    text: "banned",
    title: "Never propose this word; what the model wrote of it opens again",
  },
  { act: "plain", is: "plain", text: "as it is", title: "Neither banned nor likelier" },
  { act: "boost", is: "likelier", text: "likelier", title: "Make this word likelier everywhere" },
];

/**
 * @typedef {object} Can
 * @property {boolean} pinned
 * @property {boolean} given
 * @property {boolean} undo
 * @property {boolean} redo
 * @property {string} word that stands in the cell; empty where none or several do
 * @property {"banned" | "plain" | "likelier"} anywhere
 */

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
   * @param {number[]} cells
   * @param {boolean} ready
   * @param {Can} can
   */
  aim(cells, ready, can) {
    const wanted =
      cells.length > 1
        ? t("my own words, then Enter")
        : cells.length
          ? t("my own word, then Enter")
          : t("select a word, type another");
    const pin = onSubmit(() => {
      this.steer("pin", this.word);
      this.word = "";
      this.aim(cells, ready, can);
    });
    this.node.dataset.cells = cells.join(" ");
    render(
      html`<h4>${t("Change it")}</h4>
        <form class="pinning flow" ?hidden=${can.given} @submit=${pin}>
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
        <div class="acts flow">${ACTS.map((act) => this.button(act, ready, cells.length > 0, can))}</div>
        <p class="anywhere" ?hidden=${!can.word}>
          <span>${t("“{word}” anywhere:", { word: can.word })}</span>
          <span role="group" aria-label=${t("“{word}” anywhere:", { word: can.word })}
            >${ANYWHERE.map((one) => this.weight(one, ready, can))}</span
          >
        </p>
        <details class="rare">
          <summary>${t("More")}</summary>
          <div class="acts flow">${RARE.map((act) => this.button(act, ready, cells.length > 0, can))}</div>
        </details>`,
      this.node,
    );
  }

  /**
   * How likely the word of the cell is everywhere.
   * @param {typeof ANYWHERE[number]} one
   * @param {boolean} ready
   * @param {Can} can
   */
  weight({ act, is, text, title }, ready, { anywhere }) {
    const now = is === anywhere;
    const must = is === "likelier" && anywhere === "banned"; // it is allowed first
    return html`<button
      type="button"
      title=${t(title)}
      data-act=${act}
      aria-pressed=${now}
      ?disabled=${!ready || must}
      @click=${() => !now && this.steer(is === "plain" && anywhere === "banned" ? "allow" : act, "")}
    >
      ${t(text)}
    </button>`;
  }

  /**
   * @param {Button} button
   * @param {boolean} ready
   * @param {boolean} chosen there are cells to act on
   * @param {Can} can
   */
  button({ act, text, title, bare = false }, ready, chosen, { pinned, given, undo, redo }) {
    const possible = { release: pinned, undo, redo, remove: !given };
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
