/** A run as a small picture: a dot for each place, where the look stands that wrote it; red where a word was taken back. */

import { t } from "../looks/language.js";

/** @typedef {{looks: number, when: number[], back: [place: number, look: number][]}} Run */

const SPACE = "http://www.w3.org/2000/svg";
const [WIDE, TALL] = [112, 48];

/** @param {Run} run */
export function dots({ looks, when, back }) {
  const svg = document.createElementNS(SPACE, "svg");
  svg.setAttribute("viewBox", `-2 -2 ${WIDE + 4} ${TALL + 4}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("class", "dots");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", t("{n} looks at {cells} places", { n: looks, cells: when.length }));
  const at = (/** @type {number} */ place, /** @type {number} */ look) => {
    const x = when.length > 1 ? (place / (when.length - 1)) * WIDE : WIDE / 2;
    const y = looks > 1 ? ((look - 1) / (looks - 1)) * TALL : 0;
    return `M${x.toFixed(1)} ${y.toFixed(1)}h.01`;
  };
  const written = when.flatMap((look, place) => (look ? [at(place, look)] : []));
  svg.append(path("M-2 -2V50H114", "axis"), path(written.join(""), "written"), path(back.map(([place, look]) => at(place, look)).join(""), "back")); // prettier-ignore
  return svg;
}

/**
 * @param {string} d
 * @param {string} name
 */
function path(d, name) {
  const line = document.createElementNS(SPACE, "path");
  line.setAttribute("d", d);
  line.setAttribute("class", name);
  line.setAttribute("vector-effect", "non-scaling-stroke");
  return line;
}
