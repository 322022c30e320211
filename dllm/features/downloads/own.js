/** A model of one's own, by its hub id, its folder or its server: what it needs is said before anything is fetched. */

import { size } from "../../assets/steer/book.js";
import { t } from "../../assets/looks/language.js";
import { html, nothing } from "../../assets/vendor/lit-html.js";
import { called, fitOf, look, sentence } from "./words.js";

const WAITS = 400; // ms without a key before a name is looked up

/** @typedef {{name: string, number: string, need: number, download: number, seconds: number | null, licence: string,
 *   billions: number, twin: string, verdict: string}} Found */

export class OwnModel {
  /**
   * @param {import("../../assets/stage/controller.js").Controller} unmask
   * @param {() => void} show
   */
  constructor(unmask, show) {
    this.unmask = unmask;
    this.show = show;
    unmask.listeners.add((event) => this.answered(event));
  }

  name = "";
  mask = "";
  says = ""; // whether it has room here
  /** @type {Found | null} */
  found = null;
  why = ""; // what became of it
  closed = ""; // why no other model may be opened
  masked = false; // the id of its mask token is asked for
  named = false; // it was asked for
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  typing;

  /** Whether a text is the name of a model, and not a word to find one by.
   * @param {string} text
   */
  isName(text) {
    return /[/:\\]/.test(text);
  }

  /** Something was typed: does it fit here?
   * @param {string} text
   */
  type(text) {
    clearTimeout(this.typing);
    this.name = text.trim();
    Object.assign(this, { masked: false, says: "", found: null, why: "" });
    this.typing = setTimeout(() => void this.lookUp(this.name), WAITS);
    this.show();
  }

  /** @param {string} name */
  async lookUp(name) {
    if (!this.isName(name)) return;
    const answer = await fetch(new URL(`menu/fit?model=${encodeURIComponent(name)}`, document.baseURI)).catch(
      () => null,
    );
    const { says = "", row = null } = answer?.ok ? await answer.json() : {};
    if (name !== this.name) return;
    [this.says, this.found] = [says, row];
    this.show();
  }

  /** The model was opened or refused.
   * @param {import("../../assets/wire/store.js").Event} event
   */
  answered(event) {
    if (event.id !== this.unmask.opening || !this.named) return;
    if (event.did === "opened") this.why = "";
    else if (event.did === "refused" && event.do === "open") {
      this.why = sentence(String(event.why));
      this.masked = event.code === "no_mask";
    } else return;
    this.named = false;
    this.show();
    const mask = document.querySelector("unmask-dock .models .masked input");
    if (this.masked && mask instanceof HTMLElement) mask.focus();
  }

  /** @param {number} [side] */
  open(side = 0) {
    const { name, mask, unmask } = this;
    if (!name) return unmask.note(t("Type a hub id such as ORG/NAME, or the path of a folder of this machine."), true);
    this.named = true;
    const model = this.masked && mask ? `${name}${name.includes("?") ? "&" : "?"}mask_id=${mask}` : name;
    if (side) unmask.think(1, model);
    else unmask.answerWith([model]);
  }

  content() {
    if (!this.name) return nothing;
    const { found } = this;
    return html`<ul class="own">
      <li data-state="own">
        <h4>${called(this.name)}</h4>
        <p class="facts">
          ${
            found
              ? html`<span class="memory"
                    >${t("{size} of memory in {dtype}", { size: size(found.need), dtype: found.number })},
                    <b>${fitOf({ fits: found.verdict !== "does not fit", tight: found.verdict === "tight" })}</b></span
                  ><span
                    >${found.download ? t("{size} to download", { size: size(found.download) }) : t("is on this machine")}</span
                  ><span>${look(found.seconds)}</span><span>${found.licence || t("no licence is stated")}</span>`
              : nothing
          }
        </p>
        <p class="fits" role="status">${this.says}</p>
        <p class="state why" role="status">${this.why}</p>
        <label class="masked" ?hidden=${!this.masked}
          >${t("Id of its mask token")}
          <input
            type="number"
            min="0"
            aria-label=${t("Id of its mask token")}
            @input=${(/** @type {any} */ { target }) => (this.mask = target.value)}
        /></label>
        <div class="deeds">
          <button type="button" @click=${() => this.open()}>${t("Open as diffusion")}</button>
          <button type="button" class="link" @click=${() => this.open(1)}>${t("Open beside it")}</button>
        </div>
      </li>
    </ul>`;
  }
}
