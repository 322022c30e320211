/** Whether the model is right as often as it says: its guesses in open cells, beside what came to stand there. Pure. */

import { NOTHING, OPEN, WRITTEN } from "../wire/canvas.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {{sure: number, stood: number, count: number}} Bin mean confidence, share that came to stand, and of how many */

const BINS = 10;
const LEAST = 4; // guesses in a bin; fewer say nothing

/**
 * The guesses of all passes up to a moment in tenths of confidence; only of cells that are written by then.
 * @param {Side} side
 * @param {number} at
 * @returns {Bin[]}
 */
export function calibration(side, at) {
  const last = side.moments[at];
  if (!last) return [];
  const rows = Array.from({ length: BINS }, () => ({ sure: 0, right: 0, count: 0 }));
  const places = new Map(Array.from(last.ids, (id, cell) => [id, cell]));
  for (let m = 1; m <= at; m++) {
    const moment = side.moments[m];
    const before = side.moments[m - 1];
    if (moment?.kind !== "pass" || !before) continue;
    for (let cell = 0; cell < moment.guess.length; cell++) {
      const guess = moment.guess[cell] ?? NOTHING;
      if (guess === NOTHING || before.kinds[cell] !== OPEN) continue;
      const place = places.get(moment.ids[cell] ?? NOTHING);
      if (place === undefined || last.kinds[place] !== WRITTEN) continue;
      const sure = (moment.sure[cell] ?? 0) / 255;
      const row = rows[Math.min(BINS - 1, Math.floor(sure * BINS))];
      if (!row) continue;
      row.sure += sure;
      row.right += Number(last.tokens[place] === guess);
      row.count++;
    }
  }
  return rows
    .filter(({ count }) => count >= LEAST)
    .map(({ sure, right, count }) => ({ sure: sure / count, stood: right / count, count }));
}
