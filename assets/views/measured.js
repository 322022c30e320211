/** What was measured of the decoders: the share of texts that are right, its interval, and the difference to the best. Pure. */

/** @typedef {[difference: number, low: number, high: number]} Behind */

/** @typedef {{name: string, plain: string, looks?: number, right?: number, prompts?: number, low?: number, high?: number, behind?: Behind}} Item */

/** @typedef {{name: string, plain: string, looks: number, right: number, prompts: number, share: number, low: number, high: number, behind: Behind | null}} Point */

/** Those that were measured; the best one is behind none.
 * @param {Item[]} items
 * @returns {Point[]}
 */
export function measuredPoints(items) {
  return items.flatMap(({ name, plain, looks, right, prompts, low, high, behind = null }) => {
    if (!looks || !prompts || right === undefined || low === undefined || high === undefined) return [];
    return [{ name, plain, looks, right, prompts, share: right / prompts, low, high, behind }];
  });
}
