/** A run as a small picture: a dot for each place, where the look stands that wrote it; red where a word was taken back. */

import { t } from "../looks/language.js";
import { html, svg } from "../vendor/lit-html.js";

/** @typedef {{looks: number, when: number[], back: [place: number, look: number][]}} Run */

const [WIDE, TALL] = [112, 48];

/** @param {Run} run */
export function dots({ looks, when, back }) {
  const at = (/** @type {number} */ place, /** @type {number} */ look) => {
    const x = when.length > 1 ? (place / (when.length - 1)) * WIDE : WIDE / 2;
    const y = looks > 1 ? ((look - 1) / (looks - 1)) * TALL : 0;
    return `M${x.toFixed(1)} ${y.toFixed(1)}h.01`;
  };
  const path = (/** @type {string} */ d, /** @type {string} */ name) =>
    svg`<path class=${name} vector-effect="non-scaling-stroke" d=${d} />`;
  const written = when.flatMap((look, place) => (look ? [at(place, look)] : []));
  const name = t("{n} looks at {cells} places", { n: looks, cells: when.length });
  return html`<svg
    viewBox="-2 -2 ${WIDE + 4} ${TALL + 4}"
    preserveAspectRatio="none"
    class="dots"
    role="img"
    aria-label=${name}
  >
    ${path("M-2 -2V50H114", "axis")}${path(written.join(""), "written")}
    ${path(back.map(([place, look]) => at(place, look)).join(""), "back")}
  </svg>`;
}
