/** The decoders of a sweep in a table: value and interval, and the difference to the best. */

import { t } from "../../assets/looks/language.js";
import { html, nothing } from "../../assets/vendor/lit-html.js";
import { AXES } from "./chart.js";
import { apart, ends, ranked, signed, signedEnds, worth } from "./estimates.js";

/** @typedef {import("./chart.js").Point} Point */
/** @typedef {import("./chart.js").Ends} Ends */

/**
 * @param {Point[]} points
 * @param {string} measure
 * @param {{counted: boolean, alone: boolean}} of whether its model is a world that can be counted; whether it has one prompt
 */
export function pointTable(points, measure, { counted, alone }) {
  const rows = ranked(points, measure, counted);
  const compared = rows.filter((point) => point.behind[measure]);
  const ahead = compared.length > 0 && compared.every((point) => apart(point.behind[measure]));
  const aside = counted && rows.some(({ greedy }) => greedy);
  const scope = alone
    ? t("Intervals of 95 % are of this one prompt: each seed counts.")
    : t("Intervals of 95 % count prompts, not runs.");
  return html`<div class="lab-scroll" tabindex="0" role="region" aria-label=${t("decoders, the best first")}>
      <table class="lab-points">
        <thead>
          <tr>
            <th scope="col">${t("decoder")}</th>
            <th scope="col">${t(AXES[measure] ?? measure)}</th>
            <th scope="col">
              ${measure === "surprise" ? t("difference to the best, nats") : t("difference to the best, points")}
            </th>
          </tr>
        </thead>
        <tbody>
          ${rows.map((point, i) => pointRow(point, measure, counted && point.greedy ? "aside" : i ? "" : ahead ? "ahead" : "best"))}
        </tbody>
      </table>
    </div>
    <p class="lab-fine">
      ${scope}
      ${rows.some(({ greedy }) => greedy) ? t("Hollow marks: greedy decoders, which draw nothing and run once a prompt.") : nothing}
      ${
        compared.length
          ? t("Differences are between texts of the same prompts, corrected for {n} comparisons.", {
              n: compared.length,
            })
          : nothing
      }
      ${
        aside
          ? t("Here a greedy decoder always writes its one likeliest text: it is compared with none that draws.")
          : nothing
      }
    </p>`;
}

/**
 * @param {Point} point
 * @param {string} measure
 * @param {"" | "best" | "ahead" | "aside"} place
 */
function pointRow(point, measure, place) {
  const value = /** @type {Ends} */ (point.values[measure]);
  const behind = point.behind[measure];
  const marks = { "": "", best: t("the highest so far"), ahead: t("ahead of all others"), aside: t("not compared") };
  if (measure === "surprise" || measure === "repeated") marks.best = t("the lowest so far");
  const { decoder, greedy, passes, prompts, runs, texts } = point;
  return html`<tr class=${place}>
    <th scope="row">
      <b>${decoder}</b>
      ${greedy ? html`<small title=${t("It draws nothing: each prompt has one text.")}>${t("greedy")}</small>` : nothing}
      <span
        >${t("{looks} looks; prompts: {prompts}, runs: {runs}, different texts: {texts}", {
          ...{ looks: passes.toFixed(1), prompts, runs, texts },
        })}</span
      >
    </th>
    <td><b>${worth(value[0], measure)}</b><span>${ends(value, measure)}</span></td>
    <td>
      ${behind ? html`${signed(behind[0], measure)}<span>${signedEnds(behind, measure)}</span>` : nothing}
      <span>${!behind ? marks[place] : apart(behind) ? nothing : t("no difference seen")}</span>
    </td>
  </tr>`;
}
