/** The Lab: decoders compared on many prompts, side by side on one, and against a person. It speaks to the Lab's own door. */

import { t } from "../../assets/looks/language.js";
import { onceVisible } from "../../assets/looks/dom.js";
import { html, nothing, render } from "../../assets/vendor/lit-html.js";
import { ask } from "./ask.js";
import { Beside } from "./beside.js";
import { modelNames } from "./fields.js";
import { Game } from "./game.js";
import { measuredRows } from "./measured.js";
import { SweepPanel } from "./sweep.js";

/** @typedef {{title: string, says: string, usual: boolean}} DecoderRow */
/** @typedef {{decoders: Record<string, DecoderRow>, prompts: string[], measures: Record<string, string>, scorers: Record<string, string>}} Offer */

export class Lab extends HTMLElement {
  connectedCallback() {
    if (this.childElementCount) return; // Gradio moves elements about
    this.show(t("Asking which decoders there are …"));
    onceVisible(this, () => void this.fill());
  }

  /** @type {[title: string, node: HTMLElement][]} */
  parts = [];

  async fill() {
    try {
      const offer = /** @type {Offer} */ (await ask("lab"));
      this.parts = [
        [t("Many prompts"), new SweepPanel(offer, JSON.parse(this.dataset.plotly ?? '""')).node],
        [t("Side by side"), new Beside(offer).node],
        [t("Beat the schedule"), new Game().node],
      ];
      this.show("");
      this.dataset.state = "ready";
    } catch (error) {
      this.show(/** @type {Error} */ (error).message);
    }
  }

  /** @param {string} notice */
  show(notice) {
    render(
      html`<p class="question">
          ${t(
            "Which decoder is right more often, and in fewer looks? Compare them on many prompts, or two of them on one.",
          )}
        </p>
        ${measuredRows()} ${notice ? html`<p role="status" class="lab-notice">${notice}</p>` : nothing} ${modelNames()}
        ${this.parts.map(
          ([title, node], i) =>
            html`<details class="lab-part" ?open=${i === 0}>
              <summary>${title}</summary>
              ${node}
            </details>`,
        )}`,
      this,
    );
  }
}
