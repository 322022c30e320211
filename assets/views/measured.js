/** What was measured of the decoders on the dial: the share of texts that are right, and its interval. Pure. */

import { interval } from "./interval.js";

/** @typedef {{name: string, plain: string, looks?: number, right?: number, prompts?: number}} Item */

/** @typedef {{name: string, plain: string, looks: number, right: number, prompts: number, share: number, low: number, high: number}} Point */

/** Those that were measured, each with the share of texts that are right and its interval.
 * @param {Item[]} items
 * @returns {Point[]}
 */
export function measuredPoints(items) {
  return items.flatMap(({ name, plain, looks, right, prompts }) => {
    if (!looks || !prompts || right === undefined) return [];
    const [low, high] = interval(right, prompts);
    return [{ name, plain, looks, right, prompts, share: right / prompts, low, high }];
  });
}
