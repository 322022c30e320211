/** The writing mode: a text of one's own, spans of it opened for the model, and whose each word is. */

import { into, onSubmit } from "../looks/fields.js";
import { t } from "../looks/language.js";
import { html, nothing, render } from "../vendor/lit-html.js";
import { setField } from "../ask/fields.js";
import { fixedLength, opened, ownFrom, partsOf, roomOf, summary } from "../ask/gaps.js";
import { takenText } from "../ask/taken.js";

const MOST = 12; // squares that are drawn of a gap

export class Writer {
  panel = document.createElement("form");

  /**
   * @param {import("../stage/controller.js").Controller} unmask
   * @param {() => void} folded draws the button that opens it, which is elsewhere
   */
  constructor(unmask, folded) {
    this.unmask = unmask;
    this.folded = folded;
    this.panel.className = "writer";
    this.panel.hidden = true;
    this.panel.ariaLabel = t("Write or edit a text");
    this.panel.onsubmit = onSubmit(() => this.fill());
    this.panel.onkeydown = ({ key }) => {
      if (key === "Escape") this.unfold(false, true); // if it returned false, no key would reach the text
    };
    this.show();
  }

  free = true; // gaps may grow and shrink
  prompt = ""; // that the text was taken with: as long as it begins so, that part is the prompt's

  get text() {
    return /** @type {HTMLTextAreaElement} */ (this.panel.querySelector("textarea"));
  }

  /**
   * @param {boolean} open
   * @param {boolean} [back] the keyboard goes back to what opened it
   */
  unfold(open, back = false) {
    this.panel.hidden = !open;
    this.folded();
    this.show(); // a rule may have come
    const opener = document.querySelector(".writer-open");
    if (open) this.text.focus();
    else if (back && opener instanceof HTMLElement) opener.focus();
  }

  /** Open what is selected, or with nothing selected make a gap.
   * @param {boolean} [here] a gap at the cursor, also where words are selected
   */
  cut(here = false) {
    const { selectionStart: from, selectionEnd: to, value } = this.text;
    if (!here && from === to) return this.show(t("Select the words first that the model is to write anew."));
    const made = opened(value, here ? to : from, to);
    this.set(made.text);
    this.text.setSelectionRange(made.caret, made.caret);
  }

  /** Go on with what the stage shows.
   * @param {number} [number] the side
   * @param {number[]} [cells] that are to be written anew
   */
  fetch(number = this.unmask.selection.side, cells = []) {
    const { text, prompt } = takenText(this.unmask.side(number), this.unmask.player.at(number), cells);
    this.prompt = prompt;
    this.set(text);
  }

  /** @param {string} text */
  set(text) {
    this.text.value = text;
    this.show();
    this.text.focus();
  }

  /** Why gaps keep their length; empty where they may grow and shrink. */
  get fixed() {
    return fixedLength(this.unmask.values, this.unmask.side(0).head.model ?? {});
  }

  fill() {
    const { value } = this.text;
    if (!partsOf(value).some(({ cells }) => cells)) return this.show();
    const room = this.free && !this.fixed ? roomOf(value) : 0;
    const letters = Array.from(value.slice(0, ownFrom(value, this.prompt))).length; // as the engine counts them
    this.unmask.runs.ownText(value, letters);
    setField("prompt", value);
    setField("room", room);
    this.unfold(false);
    void this.unmask.run({ prompt: value, room }, true);
  }

  /** @param {string} [why] a person has to do something first */
  show(why = "") {
    const text = this.text?.value ?? "";
    const from = ownFrom(text, this.prompt);
    const parts = partsOf(text.slice(from));
    const gaps = parts.some(({ cells }) => cells);
    const tool = (/** @type {string} */ name, /** @type {string} */ title, /** @type {() => void} */ act) =>
      html`<button type="button" title=${title} @click=${act}>${name}</button>`;
    render(
      html`<textarea
          rows="4"
          spellcheck="false"
          aria-label=${t("Your text")}
          placeholder=${t("Type or paste a text; ___ is a gap")}
          @input=${() => this.show()}
        ></textarea>
        <div class="tools flow">
          ${tool(t("Open the selected words"), t("Let the model write these words anew"), () => this.cut())}
          ${tool(t("Gap at the cursor"), t("Something is missing here"), () => this.cut(true))}
          ${tool(t("Take the text from the stage"), t("Go on with what stands there now"), () => this.fetch())}
          <label
            ><input
              type="checkbox"
              .checked=${this.free}
              ?disabled=${this.fixed !== ""}
              @change=${into(this, "free")}
            />
            ${t("Gaps may grow and shrink")}</label
          >
          <button type="submit" class="fill">${t("Fill the gaps")}</button>
        </div>
        <p class="status" role="status">${why || summary(text, from)}</p>
        <p class="fixed" role="status">${this.fixed}</p>
        <p class="preview" aria-hidden="true" ?hidden=${!gaps}>
          ${from ? html`<span class="front">${text.slice(0, from)}</span>` : nothing}${parts.map(partOf)}
        </p>
        <p class="whose flow" aria-hidden="true" ?hidden=${!gaps}>
          <span class="front">${t("the prompt's")}</span><span class="own">${t("yours")}</span
          ><span class="gap">▢</span>${t("the model's")}
        </p>`,
      this.panel,
    );
  }
}

/** @param {import("../ask/gaps.js").Part} part */
function partOf({ text, cells }) {
  if (!cells) return html`<span class="own">${text}</span>`;
  const title = t("{n} cells for the model", { n: cells });
  return html`<span class="gap" title=${title}>${"▢".repeat(Math.min(cells, MOST))}</span>`;
}
