/** Which decoder to take within a budget, in a sentence. Pure. */

import { t } from "../../assets/looks/language.js";
import { ends, worth } from "./estimates.js";

/** @typedef {{point: import("./chart.js").Point, among: number, ahead: boolean, equal: string[]}} Advice */

/** A lead is named only where there is one.
 * @param {Advice} advice
 * @param {string} measure
 */
export function adviceSentence({ point, among, ahead, equal }, measure) {
  const value = /** @type {import("./chart.js").Ends} */ (point.values[measure]);
  const words = {
    decoder: point.decoder,
    worth: [worth(value[0], measure), ends(value, measure) && `(${ends(value, measure)})`].filter(Boolean).join(" "),
    looks: point.passes.toFixed(1),
  };
  if (ahead) return t("{decoder} is ahead of all others: {worth}, with {looks} looks a text.", words);
  if (equal.length) {
    const n = equal.length + 1;
    return t(
      "No difference seen between {n} decoders. Of these, {decoder} has the best value: {worth}, with {looks} looks a text.",
      { ...words, n },
    );
  }
  if (among > 1) return t("{decoder}: {worth}, with {looks} looks a text.", words);
  return t("Only {decoder} needs so few looks: {worth}, with {looks} looks a text.", words);
}
