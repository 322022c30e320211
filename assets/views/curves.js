/** The numbers of a run, look by look, and the steps that draw them. Pure. */

import { freshText } from "./meters.js";
import { NOTHING, OPEN, unpacked } from "../wire/canvas.js";

/** @typedef {import("../wire/store.js").Side} Side */

/** @typedef {{x: number[], confidence: (number | null)[], entropy: (number | null)[], open: number[], tokens: number[]}} Series */

/**
 * The numbers of a side, one for each pass.
 * @param {Side} side
 * @param {number} at
 * @returns {Series}
 */
export function series(side, at) {
  /** @type {Series} */
  const rows = { x: [], confidence: [], entropy: [], open: [], tokens: [] };
  for (let m = 1; m <= at; m++) {
    const moment = side.moments[m];
    if (moment?.kind !== "pass") continue;
    rows.x.push(moment.passes);
    rows.confidence.push(moment.event?.g ? moment.mean : null);
    rows.open.push(moment.open);
    rows.tokens.push(freshText(side, moment));
    rows.entropy.push(meanEntropy(moment, side.moments[m - 1]));
  }
  return rows;
}

/** Mean entropy, in nats, of the cells that were open when the model looked; null where a pass did not bring it.
 * @param {import("../wire/timeline.js").Moment} moment
 * @param {import("../wire/timeline.js").Moment | undefined} before
 */
function meanEntropy(moment, before) {
  if (!moment.event?.e || !before) return null;
  const row = unpacked(moment.event.e, 1);
  let [sum, cells] = [0, 0];
  for (let cell = 0; cell < row.length; cell++) {
    if (before.kinds[cell] !== OPEN || moment.guess[cell] === NOTHING) continue;
    sum += (row[cell] ?? 0) / 32;
    cells++;
  }
  return cells ? sum / cells : 0;
}

/** @type {{key: "confidence" | "entropy" | "open" | "tokens", title: string}[]} */
export const PANELS = [
  { key: "confidence", title: "mean confidence of open cells, in %" },
  { key: "entropy", title: "mean entropy of open cells, in nats" },
  { key: "open", title: "open cells" },
  { key: "tokens", title: "tokens written in a look" },
];
export const CALIBRATION = "calibration: guesses that came to stand, in %, by how sure it was";

/** The next 1, 2 or 5 with noughts: where an axis may end.
 * @param {number} most
 */
export function rounded(most) {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1e-9)));
  return power * /** @type {number} */ ([1, 2, 5, 10].find((step) => step * power >= most * 0.999999));
}

/**
 * A line that stays level until the next value comes; broken where there is none.
 * @param {number[]} xs
 * @param {(number | null)[]} ys
 * @param {(x: number) => number} across
 * @param {(y: number) => number} up
 */
export function stepped(xs, ys, across, up) {
  const short = (/** @type {number} */ value) => String(Math.round(value * 10) / 10);
  let path = "";
  let drawing = false;
  ys.forEach((y, i) => {
    if (y === null) {
      drawing = false;
      return;
    }
    const at = short(across(xs[i] ?? 0));
    path += drawing ? `H${at}V${short(up(y))}` : `M${at} ${short(up(y))}`;
    drawing = true;
  });
  return path;
}
