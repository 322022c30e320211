/** The axes of a small chart: its size in its own units, and which places are named under it. Pure. */

export const WIDE = 1000;
export const TALL = 100;
const NUMBERS = 4; // named under the axis, at most

/** Which of so many places are named under the axis: the first, the last, and a few between.
 * @param {number} count
 */
export function named(count) {
  const step = Math.max(1, Math.ceil((count - 1) / (NUMBERS - 1)));
  const kept = Array.from({ length: count }, (_, i) => i).filter((i) => i % step === 0);
  const last = kept[kept.length - 1] ?? 0;
  if (last === count - 1 || count < 1) return kept;
  if (count - 1 - last <= step / 2) kept.pop(); // it would touch the last one
  return [...kept, count - 1];
}
