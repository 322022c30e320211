/** What the first look of a run would write at a threshold. Pure. */

import { NOTHING, OPEN } from "../wire/canvas.js";

/**
 * The places whose guess was above it, of those that the decoder may write first.
 * @param {import("../wire/store.js").Side} side
 * @param {number} threshold
 */
export function aboveAtFirst(side, threshold) {
  const [start, first] = side.moments;
  const block = Number(side.head.settings?.block ?? 0);
  const open = Array.from(start?.kinds ?? [], (kind, cell) => (kind === OPEN ? cell : NOTHING));
  const may = open.filter((cell) => cell !== NOTHING).slice(0, block || undefined);
  const known = may.filter((cell) => first?.kind === "pass" && (first.guess[cell] ?? NOTHING) !== NOTHING);
  return { may: known.length, above: known.filter((cell) => (first?.sure[cell] ?? 0) / 255 > threshold) };
}
