/** A slip of paper between two lines: a caption, the invitation, or the words that one may choose instead. */

import { html, render, nothing } from "../vendor/lit-html.js";
import { t } from "../looks/language.js";
import { percent } from "../cells/face.js";

/** @typedef {import("./paper.js").Paper} Paper */
/** @typedef {{token: number, text: string, share: number, standing: boolean, choose: () => void}} Choice */
/**
 * @typedef {object} Popover
 * @property {string} word
 * @property {string} says about the word
 * @property {Choice[] | null} choices null while they are awaited
 * @property {import("./resting.js").Resting<Choice>} resting
 * @property {{token: number, text: string} | null} lit the word that a person rests on
 * @property {string} follows what would follow from it
 * @property {string} typed
 * @property {boolean} typing
 * @property {boolean} changes whether another word may stand there
 * @property {(text: string) => void} set
 * @property {(() => void) | null} takeBack where a person set the word
 * @property {() => void} type
 * @property {() => void} more
 * @property {() => void} close
 */

const PHONE = "(width <= 720px)";

export class Slip {
  /**
   * @param {Paper} paper
   * @param {() => void} grown called when it has another height than before
   */
  constructor(paper, grown) {
    this.paper = paper;
    this.grown = grown;
    this.node = document.createElement("div");
    this.node.className = "slip";
    this.node.hidden = true;
    paper.node.append(this.node);
    // a slip that grows moves the lines under it
    new ResizeObserver(() => this.sized()).observe(this.node);
  }

  /** @type {"" | "note" | "popover"} */
  kind = "";
  key = "";

  get sheet() {
    return this.kind === "popover" && matchMedia(PHONE).matches;
  }

  sized() {
    const { slip } = this.paper;
    if (!slip || slip.node !== this.node) return;
    const height = this.node.offsetHeight;
    if (!height || height === slip.height) return;
    this.paper.open({ ...slip, height });
    this.grown();
  }

  /**
   * @param {string} text
   * @param {number} cell under which it lies; none for the middle of the paper
   * @param {{mine?: boolean, look?: string, skip?: () => void, close?: () => void, undo?: () => void}} [more]
   */
  note(text, cell, { mine = false, look = "", skip, close, undo } = {}) {
    const key = `${text} ${cell}`;
    if (this.kind === "note" && this.key === key) return;
    // its button is for the pointer: Escape does the same, and the player is not one press of Tab further away
    this.appear("note", key, `slip${mine ? " mine" : ""}${look}${cell < 0 ? " wide" : ""}`, "status", "");
    render(
      html`<span>${text}</span>${
          skip
            ? html`<button type="button" class="skip" tabindex="-1" @click=${skip}>${t("skip")}</button>`
            : close
              ? html`<button type="button" class="skip" tabindex="-1" @click=${close}>${t("close")}</button>`
              : undo
                ? html`<button type="button" class="skip undo" @click=${undo}>${t("undo")}</button>`
                : nothing
        }`,
      this.node,
    );
    this.lie(cell < 0 ? 0 : cell, cell < 0);
  }

  /**
   * @param {number} cell
   * @param {string} key what it is about
   * @param {Popover} about
   */
  popover(cell, key, about) {
    const fresh = this.kind !== "popover" || this.key !== key;
    if (fresh) this.appear("popover", key, "slip pop", "dialog", t("the word {word}", { word: about.word }));
    render(words(about), this.node);
    if (fresh) this.lie(cell, false);
    const field = this.node.querySelector("input");
    if (about.typing && field && document.activeElement !== field) {
      field.focus({ preventScroll: true });
      field.setSelectionRange(field.value.length, field.value.length);
    } else if (fresh && !about.typing) {
      this.node.tabIndex = -1;
      this.node.focus({ preventScroll: true });
    }
  }

  /**
   * @param {"note" | "popover"} kind
   * @param {string} key
   * @param {string} look
   * @param {string} role
   * @param {string} label
   */
  appear(kind, key, look, role, label) {
    [this.kind, this.key] = [kind, key];
    this.node.className = look;
    this.node.role = role;
    this.node.ariaLabel = label || null;
    this.node.removeAttribute("tabindex");
    this.node.hidden = false;
  }

  /**
   * @param {number} cell
   * @param {boolean} wide
   */
  lie(cell, wide) {
    this.paper.open({ cell, node: this.node, height: this.node.offsetHeight || 40, wide, opens: !this.sheet });
  }

  close() {
    if (!this.kind) return;
    [this.kind, this.key] = ["", ""];
    this.node.hidden = true;
    render(nothing, this.node);
    this.paper.open(null);
  }
}

/** @param {Popover} about */
function words({ says, choices, resting, lit, follows, typed, typing, changes, set, takeBack, type, more, close }) {
  const send = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const field = /** @type {HTMLFormElement} */ (event.currentTarget).querySelector("input");
    if (field?.value.trim()) set(field.value);
  };
  return html`
    ${
      changes && choices
        ? html`<div class="words flow" @keydown=${walk} @contextmenu=${(/** @type {Event} */ e) => e.preventDefault()}>
            ${choices.map((choice) => button(choice, resting, lit?.token === choice.token))}
          </div>`
        : changes
          ? html`<p class="awaited">${t("Looking up the other words …")}</p>`
          : nothing
    }
    ${
      typing
        ? html`<form class="own" @submit=${send}>
            <input
              type="text"
              maxlength="200"
              autocomplete="off"
              spellcheck="false"
              aria-label=${t("Your own word")}
              .value=${typed}
            />
            <button type="submit">${t("Set it")}</button>
          </form>`
        : nothing
    }
    <p class="acts flow">
      <span class="says">${lit && follows ? html`<b>${lit.text}</b>: ${follows}` : says}</span>
      ${takeBack ? html`<button type="button" class="back link" @click=${takeBack}>${t("take it back")}</button>` : nothing}
      ${changes && !typing ? html`<button type="button" class="link" @click=${type}>${t("my own word")}</button>` : nothing}
      <button type="button" class="link" @click=${more}>${t("more")}</button>
      <button type="button" class="close link" @click=${close}>${t("close")}</button>
    </p>
  `;
}

/**
 * A word that may stand there instead.
 * @param {Choice} choice
 * @param {Popover["resting"]} resting
 * @param {boolean} lit
 */
function button(choice, resting, lit) {
  const { text, share, standing, choose } = choice;
  return html`<button
    type="button"
    class=${lit ? "lit" : ""}
    style=${`--share: ${share}`}
    aria-current=${standing ? "true" : nothing}
    @click=${() => resting.chooses && !standing && choose()}
    @pointerenter=${(/** @type {PointerEvent} */ event) => resting.enter(event, choice)}
    @pointerleave=${() => resting.leave()}
    @pointercancel=${() => resting.leave()}
    @pointerdown=${(/** @type {PointerEvent} */ event) => resting.press(event, choice)}
    @pointerup=${(/** @type {PointerEvent} */ event) => resting.release(event)}
    @focus=${(/** @type {FocusEvent} */ event) => resting.focus(event, choice)}
    @blur=${() => resting.leave()}
  >
    ${text}<small>${percent(share)}</small>
  </button>`;
}

/** Arrows go from word to word.
 * @param {KeyboardEvent} event
 */
function walk(event) {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!by || !(event.currentTarget instanceof Element) || !(event.target instanceof HTMLElement)) return;
  event.preventDefault();
  event.stopPropagation();
  const all = [...event.currentTarget.querySelectorAll("button")];
  all[all.findIndex((one) => one === event.target) + by]?.focus();
}
