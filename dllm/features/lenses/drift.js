/** How far looks are from each other, and how far from left to right a run was written: rows and sentences. Pure. */

import { t } from "../../assets/looks/language.js";

/** @typedef {import("../../assets/wire/store.js").Side} Side */

/** @type {{key: "last" | "before", title: string}[]} */
export const DRIFTS = [
  { key: "last", title: "how far each look was from the final one, in nats" },
  { key: "before", title: "how far each look was from the one before, in nats" },
];

/**
 * A side's divergences, one for each look; null where a look has none.
 * @param {Side} side
 * @param {Record<string, any>} answer to `drift`
 */
export function driftSeries(side, { at = [], last = [], before = [] }) {
  return { x: at.map((/** @type {number} */ moment) => side.moments[moment]?.passes ?? moment), last, before };
}

/**
 * The order of writing as one number, in a sentence.
 * @param {string} name of the side
 * @param {Record<string, any>} answer to `drift`
 */
export function orderSentence(name, { order }) {
  if (!order) return t("{name}: all words came at once, or too few, to tell their order.", { name });
  const values = { name, tau: order.tau.toFixed(2), error: order.error.toFixed(2), n: order.words };
  return t("{name}: left to right {tau} ± {error}, over {n} words.", values);
}
