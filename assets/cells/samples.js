/** What a side shows in the course of its run, as far as it is known: its first guesses, its end, some between. Pure. */

import { faces, look, NO_HIGHLIGHT } from "./face.js";

const SAMPLES = 6; // moments of a run that are tried

/**
 * @param {import("../wire/store.js").Side} side
 * @returns {import("./face.js").Face[][]}
 */
export function samplesOf(side) {
  const last = side.moments.length - 1;
  if (side.head.causal) return [faces(side, last)];
  const every = Math.max(1, Math.ceil(last / SAMPLES));
  const moments = new Set([1, 2, last]);
  for (let at = 1; at < last; at += every) moments.add(at);
  const rows = [...moments].filter((at) => at >= 0 && at <= last).map((at) => faces(side, at));
  const ahead = last >= 1 ? look(side, 0, NO_HIGHLIGHT, null, true) : null;
  return ahead ? [...rows, ahead.row] : rows;
}
