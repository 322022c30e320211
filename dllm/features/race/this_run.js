/** How both sides came to their words in the run on the stage: a bar for each look, at its time. */

import { t } from "../../assets/looks/language.js";
import { html, nothing, svg } from "../../assets/vendor/lit-html.js";
import { freshText } from "../../assets/views/meters.js";
import { nameOf } from "../../assets/views/names.js";

/** @typedef {import("../../assets/wire/store.js").Side} Side */

const [WIDE, TALL] = [1000, 20]; // of a row of bars, in its own units
const FULL = 34; // words whose bar is as tall as the row

/** @param {import("../../assets/stage/controller.js").Controller} unmask */
export function thisRun(unmask) {
  const sides = unmask.sides.filter(({ moments }) => moments.length > 1);
  const last = Math.max(...sides.map(({ moments }) => moments.at(-1)?.clock ?? 0));
  if (!sides.length || !(last > 0)) return nothing;
  return html`<table class="bars">
      <tbody>
        ${sides.map((side, i) => {
          const seconds = ((side.moments.at(-1)?.clock ?? 0) / 1000).toFixed(2);
          return html`<tr class=${`of-${i}`}>
            <th scope="row">${nameOf(side, i)}</th>
            <td>
              <svg viewBox="0 0 ${WIDE} ${TALL}" preserveAspectRatio="none" aria-hidden="true">
                <path class="axis" d="M0 ${TALL / 2}H${WIDE}" vector-effect="non-scaling-stroke" />
                ${svg`<path d=${ticks(side, last)} vector-effect="non-scaling-stroke" />`}
              </svg>
            </td>
            <td>${t("{s} s", { s: seconds })}</td>
          </tr>`;
        })}
      </tbody>
    </table>
    <p class="fine">${t("In this run: each bar is a look, and a taller one wrote more words.")}</p>`;
}

/** A line for each look that wrote, at its time.
 * @param {Side} side
 * @param {number} last
 */
function ticks(side, last) {
  return side.moments
    .map((moment) => {
      const words = moment.kind === "pass" ? freshText(side, moment) : 0;
      const half = (Math.sqrt(Math.min(FULL, words) / FULL) * TALL) / 2;
      const x = (moment.clock / last) * (WIDE - 4);
      return words ? `M${x.toFixed(1)} ${(TALL / 2 - half).toFixed(1)}v${(2 * half).toFixed(1)}` : "";
    })
    .join("");
}
