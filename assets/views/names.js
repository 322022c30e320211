/** What a side is called, and how it writes. Pure. */

import { t } from "../looks/language.js";

/** @typedef {import("../wire/store.js").Side} Side */

/** How a text is written, where its decoder reads what it drafted. @type {Record<string, string>} */
const MANNERS = { self_speculate: "drafted at once, then verified", proofread: "drafted everywhere, then proofread" };
const NAMES = ["Diffusion", "One word after another"];
const WAYS = ["everywhere at once", "autoregressive", "left to right, but reads both ways"];

/** How a side writes, under its name.
 * @param {Side} side
 */
export function wayOf(side) {
  const { title, head } = side;
  if (title) return "another branch of the same run";
  if (head.decoder) return "the same model, another decoder";
  const left = fromLeft(side);
  const way = WAYS[head.causal || (left && head.model?.both) ? 1 : left ? 2 : 0] ?? "";
  return MANNERS[head.settings?.policy] ?? way;
}

/** What a side is called: a title of its own, or how it writes.
 * @param {Side} side
 * @param {number} number
 */
export function nameOf(side, number) {
  if (side.title) return side.title;
  if (side.head.decoder) return side.head.decoder;
  const causal = side.source === "empty" ? number === 1 : Boolean(side.head.causal);
  return t(/** @type {string} */ (NAMES[causal || fromLeft(side) ? 1 : 0]));
}

/** Whether its decoder writes from left to right; its model may be able to write in any order.
 * @param {Side} side
 */
function fromLeft({ head }) {
  return head.settings?.policy === "left_to_right";
}
