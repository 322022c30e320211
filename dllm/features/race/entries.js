/** The race's and the claims' entries of *Many runs*. */

import { t } from "../../assets/looks/language.js";
import { html, nothing } from "../../assets/vendor/lit-html.js";
import { claimedSpeeds } from "./claimed.js";
import { askField } from "./field.js";
import { thisRun } from "./this_run.js";

/** What is claimed in public, once it was asked. */
const known = { claims: 0, speeds: /** @type {import("./claimed.js").Speeds | null} */ (null) };

/** @type {Record<string, import("../../assets/looks/features.js").Entry>} */
export const entries = {
  Race: {
    says: () => t("Which model answers your prompt first: the pair here, or models on the web with your own key?"),
    link: () => t("set up a race"),
    figure: thisRun,
  },
  Claims: {
    says: () => t("What is said in public of a model's speed and price, who says it, and do they agree?"),
    link: () => (known.claims ? t("all {n}, with their sources", { n: known.claims }) : t("all of them")),
    figure: () => (known.speeds ? speedsFigure(known.speeds) : nothing),
    ask: async () => {
      const { claims } = await askField();
      known.claims = claims.length;
      known.speeds = claimedSpeeds(claims);
    },
  },
};

/** @param {import("./claimed.js").Speeds} speeds */
function speedsFigure({ about, unit, points, most, says }) {
  return html`<h4>${about}, ${unit}</h4>
    <div class="claimed" aria-hidden="true">
      ${points.map(({ value }) => html`<b style="left: ${(100 * value) / most}%"><span>${Math.round(value)}</span></b>`)}
    </div>
    <p class="fine">${says}</p>`;
}
