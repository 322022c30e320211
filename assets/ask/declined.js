/** What is said of a prompt that the model was not trained on, and what may be written instead. */

import { t } from "../looks/language.js";
import { html, render } from "../vendor/lit-html.js";
import { labelOf, reason } from "./offers.js";

/** @typedef {import("./offers.js").Offer} Offer */

const MOST = 3; // offers

export class Declined {
  /**
   * @param {object} act what a press does
   * @param {(offer: Offer) => void} act.write
   * @param {() => void} act.anyway
   * @param {() => void} act.bigger
   * @param {() => void} act.close
   */
  constructor(act) {
    this.act = act;
    this.node = document.createElement("section");
    this.node.className = "outside";
    this.node.setAttribute("role", "alert");
    this.node.hidden = true;
  }

  /**
   * @param {string} prompt the one that was declined; empty for none
   * @param {{offers: Offer[], weak: string}} found what may be written instead, and the title of a kind that is not
   * @param {boolean} mayOpen whether another model can be opened
   */
  show(prompt, found, mayOpen) {
    this.node.hidden = !prompt;
    render(prompt ? this.answer(prompt, found, mayOpen) : null, this.node);
  }

  /**
   * @param {string} prompt
   * @param {{offers: Offer[], weak: string}} found
   * @param {boolean} mayOpen
   */
  answer(prompt, { offers, weak }, mayOpen) {
    const { anyway, bigger, close, write } = this.act;
    return html`<button type="button" class="quiet" @click=${close}>${t("close")}</button>
      <p>${reason(prompt, weak, offers.length > 0)}</p>
      <div class="near">
        ${offers
          .slice(0, MOST)
          .map(
            (offer, i) =>
              html`<button type="button" class=${i ? "kind" : "kind best"} @click=${() => write(offer)}>
                ${labelOf(offer)}
              </button>`,
          )}
        <button type="button" class="anyway" @click=${anyway}>${t("Run it anyway")}</button>
        ${mayOpen ? html`<button type="button" class="bigger" @click=${bigger}>${t("Open a bigger model")}</button>` : null}
      </div>`;
  }
}
