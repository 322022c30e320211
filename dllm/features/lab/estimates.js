/** Values, intervals and differences of a sweep, as a person says them. Pure. */

import { t } from "../../assets/looks/language.js";

/** @typedef {import("./chart.js").Point} Point */
/** @typedef {import("./chart.js").Ends} Ends */

/** A value as a person says it.
 * @param {number} value
 * @param {string} measure
 */
export function worth(value, measure) {
  return measure === "surprise" ? t("{n} nats", { n: value.toFixed(2) }) : `${Math.round(100 * value)} %`;
}

/** The ends of an interval; nothing where they are not known.
 * @param {Ends} row
 * @param {string} measure
 */
export function ends([, low, high], measure) {
  if (low === null || high === null) return "";
  if (measure === "surprise") return `${low.toFixed(2)}–${high.toFixed(2)}`;
  return `${Math.round(100 * low)}–${Math.round(100 * high)}`;
}

/** A difference with its sign, in points of a hundred or in nats.
 * @param {number} n
 * @param {string} measure
 */
export function signed(n, measure) {
  const size = measure === "surprise" ? Math.abs(n).toFixed(2) : String(Math.round(100 * Math.abs(n)));
  return `${Number(size) === 0 ? "" : n < 0 ? "−" : "+"}${size}`;
}

/** The ends of the interval of a difference; nothing where they are not known.
 * @param {Ends} row
 * @param {string} measure
 */
export function signedEnds([, low, high], measure) {
  return low === null || high === null ? "" : `${signed(low, measure)} … ${signed(high, measure)}`;
}

/** Whether an interval excludes zero.
 * @param {Ends | null | undefined} row
 */
export function apart(row) {
  return Boolean(row && row[1] !== null && row[2] !== null && (row[1] > 0 || row[2] < 0));
}

/** Those that were measured, the best first; in a counted world the greedy ones last, which are compared with none.
 * @param {Point[]} points
 * @param {string} measure
 * @param {boolean} counted
 */
export function ranked(points, measure, counted) {
  const sign = measure === "surprise" || measure === "repeated" ? -1 : 1;
  const value = (/** @type {Point} */ point) => sign * (point.values[measure]?.[0] ?? 0);
  const aside = (/** @type {Point} */ { greedy }) => Number(counted && greedy);
  return points
    .filter((point) => point.values[measure])
    .sort((a, b) => aside(a) - aside(b) || value(b) - value(a) || a.passes - b.passes);
}
