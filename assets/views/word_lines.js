/** How the likeliest words of a cell rose and fell, look by look: their shares and their lines. Pure. */

import { TALL, WIDE } from "./axis.js";
import { beliefAt, placeOf } from "./belief.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("./belief.js").Candidate} Candidate */
/** @typedef {{at: number, shares: (number | null)[]}} Look what a look gave each word; null if it was not among its five */

const HEIGHTS = [0.05, 0.1, 0.25, 0.5, 1]; // where the axis may end

/**
 * What each look up to the one that is known gave these words.
 * @param {Side} side
 * @param {number} at
 * @param {number} cell
 * @param {{at: number, candidates: Candidate[]}} belief
 * @returns {Look[]}
 */
export function looksAt(side, at, cell, belief) {
  const place = placeOf(side, at, cell, belief.at);
  const answer = side.peeks.get(`${place}:${belief.at}`);
  if (answer?.shares) return answer.shares.map((/** @type {any[]} */ [moment, ...shares]) => ({ at: moment, shares }));
  /** @type {Look[]} */
  const looks = [];
  for (let m = 1; m <= belief.at; m++) {
    if (side.moments[m]?.kind !== "pass") continue;
    const there = beliefAt(side, m, placeOf(side, at, cell, m))?.candidates;
    if (!there?.length) continue;
    looks.push({ at: m, shares: belief.candidates.map((c) => there.find((o) => o.token === c.token)?.share ?? null) });
  }
  return looks;
}

/** The end of the axis for these looks.
 * @param {Look[]} looks
 */
export function heightOf(looks) {
  const most = Math.max(0, ...looks.flatMap(({ shares }) => shares.map((share) => share ?? 0)));
  return HEIGHTS.find((one) => most <= one) ?? 1;
}

/** The line of a word; it breaks in looks that did not have it among their five.
 * @param {Look[]} looks
 * @param {number} which
 * @param {number} height
 */
export function lineOf(looks, which, height) {
  let path = "";
  let drawn = false;
  looks.forEach(({ shares }, i) => {
    const share = shares[which];
    if (share === null || share === undefined) {
      drawn = false;
      return;
    }
    const x = looks.length > 1 ? (WIDE * i) / (looks.length - 1) : 0;
    const y = TALL * (1 - share / height);
    path += `${drawn ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}${drawn ? "" : "h0"}`;
    drawn = true;
  });
  return path;
}
