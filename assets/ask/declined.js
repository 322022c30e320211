/** What is said of a prompt that the model was not trained on, what may answer it, and what may be written instead. */

import { t } from "../looks/language.js";
import { html, nothing, render } from "../vendor/lit-html.js";
import { labelOf, reason } from "./offers.js";

/** @typedef {import("./offers.js").Offer} Offer */

const MOST = 3; // offers

export class Declined {
  /**
   * @param {import("../looks/features.js").Answer[]} answers what may answer it
   * @param {object} act what a press does
   * @param {(offer: Offer) => void} act.write
   * @param {() => void} act.anyway
   * @param {() => void} act.close
   */
  constructor(answers, act) {
    this.answers = answers;
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
    const answers = mayOpen ? this.answers : [];
    for (const answer of answers) answer.ask(prompt);
    render(prompt ? this.content(prompt, found, answers) : null, this.node);
  }

  /**
   * @param {string} prompt
   * @param {{offers: Offer[], weak: string}} found
   * @param {import("../looks/features.js").Answer[]} answers
   */
  content(prompt, { offers, weak }, answers) {
    const { anyway, close, write } = this.act;
    const others = answers.length > 0;
    return html`<button type="button" class="quiet" @click=${close}>${t("close")}</button>
      <p>${reason(prompt, weak, offers.length > 0, others)}</p>
      ${answers.map(({ node }) => node)}
      <div class="near flow">
        ${others ? html`<span>${t("Or with the pair of this page:")}</span>` : nothing}
        ${offers
          .slice(0, MOST)
          .map(
            (offer, i) =>
              html`<button type="button" class="kind ${i || others ? "" : "best"}" @click=${() => write(offer)}>
                ${labelOf(offer)}
              </button>`,
          )}
        <button type="button" class="anyway" @click=${anyway}>${t("Run it anyway")}</button>
      </div>`;
  }
}
