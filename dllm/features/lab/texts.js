/** The texts of a point, each with a button that opens its run. */

import { t } from "../../assets/looks/language.js";
import { openOrder } from "../../assets/stage/order.js";
import { html, nothing } from "../../assets/vendor/lit-html.js";

const MOST = 12; // that are listed

/**
 * @param {string} decoder
 * @param {Record<string, any>[]} runs of all decoders
 */
export function pickedTexts(decoder, runs) {
  const some = runs.filter((run) => run["decoder"] === decoder).slice(0, MOST);
  return html`<div class="lab-runs">
    <h4>${decoder}</h4>
    ${some.map(
      ({ order, right, passes, prompt, text }) =>
        html`<p class="lab-run">
          <button type="button" @click=${() => openOrder(order)}>${t("Open on the stage")}</button>
          ${right === null ? nothing : html`<b>${right ? t("right") : t("wrong")}</b>`}
          ${passes === 1 ? t("one look") : t("{n} looks", { n: passes })}:
          <span class="lab-prompt">${prompt}</span>${text}
        </p>`,
    )}
  </div>`;
}
