/** The run on its clock as a picture: the bars of its passes, and the round places on its axis. Pure. */

import { freshText } from "../views/meters.js";

/** @typedef {import("../wire/store.js").Side} Side */

export const WIDE = 1000; // units across the picture; the browser scales them to the screen
const BASE = 27.5; // the bars of the first side stand on it, those of the second hang below
const TALL = 25;
const FULL = 34; // words of a look whose bar is as tall as the row

/**
 * The bars of a side as one path: as wide as each pass took, as high as it wrote words. Pure.
 * @param {Side} side
 * @param {ArrayLike<number>} row where its moments lie
 * @param {number} last the end of the axis
 * @param {boolean} hangs
 * @param {number} [from] only moments from here on
 * @param {number} [to]
 */
export function bars(side, row, last, hangs, from = 1, to = Infinity) {
  let path = "";
  for (let m = Math.max(1, from); m < Math.min(side.moments.length, to); m++) {
    const moment = side.moments[m];
    if (moment?.kind !== "pass" || !last) continue;
    const x = ((row[m - 1] ?? 0) / last) * WIDE + 0.8;
    const width = Math.max(1, ((row[m] ?? 0) / last) * WIDE - x - 0.8);
    const words = freshText(side, moment);
    const height = hangs ? 8 : Math.max(1.5, Math.sqrt(Math.min(FULL, words) / FULL) * TALL);
    const y = hangs ? BASE + 2 : BASE - height;
    path += `M${x.toFixed(1)} ${y.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h${(-width).toFixed(1)}z`;
  }
  return path;
}

/** Round places on an axis of so many milliseconds, at most five. Pure.
 * @param {number} last
 */
export function axisOf(last) {
  if (!(last > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(last));
  const step = [power / 5, power / 2, power, power * 2, power * 5].find((one) => last / one <= 4) ?? power;
  return Array.from({ length: Math.floor((last * 0.9) / step) + 1 }, (_, i) => i * step);
}

/** Whether a number under the axis would meet the unit at its end, each so many letters long. Pure.
 * @param {number} share of the axis
 * @param {number} number
 * @param {number} unit
 * @param {number} letters that the axis is long
 */
export function meets(share, number, unit, letters) {
  return share * letters + number / 2 > letters - unit - 2;
}
