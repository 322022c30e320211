/** What was measured of the decoders on the dial, a row each. */

import { t } from "../../assets/looks/language.js";
import { html, nothing } from "../../assets/vendor/lit-html.js";
import { measuredPoints } from "../../assets/views/measured.js";
import { apart } from "./estimates.js";

/** @typedef {import("../../assets/views/measured.js").Item} Item */
/** @typedef {{item: (name: string) => Item | undefined, items: Item[], points: [label: string, name: string][]}} Decoders */

/** The rows, where the page has a dial; nothing elsewhere. */
export function measuredRows() {
  const decoders = /** @type {Decoders | null} */ (/** @type {unknown} */ (document.querySelector("unmask-decoders")));
  const rows = (decoders?.points ?? []).flatMap(([label, name]) => {
    const item = decoders?.item(name);
    return measuredPoints(item ? [item] : []).map((point) => ({ label, ...point }));
  });
  const [first] = rows;
  if (!first) return nothing;
  return html`<table class="lab-measured">
      <tbody>
        ${rows.map(({ label, looks, right, prompts, share, low, high, behind }) => {
          return html`<tr>
            <th scope="row">${t(label)}</th>
            <td aria-hidden="true">
              <i style="left: ${100 * low}%; right: ${100 - 100 * high}%"></i><b style="left: ${100 * share}%"></b>
            </td>
            <td>
              ${t("{right} of {prompts} right, {looks} looks", { right, prompts, looks })}
              <span
                >${behind ? (apart(behind) ? t("behind the best") : t("no difference seen")) : t("the best value")}</span
              >
            </td>
          </tr>`;
        })}
      </tbody>
    </table>
    <p class="lab-fine">
      ${t("Measured on {prompts} prompts: texts in which the judge found no error; bar: 95 % interval.", { prompts: first.prompts })}
      ${t("Each is compared with the best of all {n}, on the same prompts.", { n: decoders?.items.filter(({ looks }) => looks).length ?? 0 })}
    </p>`;
}
