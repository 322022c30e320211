/** Which words of two texts are the same ones, wherever they stand: a longer word shifts all that follow it. Pure. */

/**
 * For each token of the second text its place in the first, or -1 where it is another word. What both begin and end with
 * is the same; of the rest the longest passage that both have (the earliest of several), and so on to its left and right.
 * `dllm/run/alignment.py` has the same rule, and one file of cases tests both.
 * @param {ArrayLike<number>} first
 * @param {ArrayLike<number>} second
 * @returns {number[]}
 */
export function aligned(first, second) {
  const places = /** @type {number[]} */ (new Array(second.length).fill(-1));
  const shorter = Math.min(first.length, second.length);
  let from = 0;
  while (from < shorter && first[from] === second[from]) from++;
  let tail = 0;
  while (tail < shorter - from && first[first.length - 1 - tail] === second[second.length - 1 - tail]) tail++;
  for (let j = 0; j < from; j++) places[j] = j;
  for (let k = 1; k <= tail; k++) places[second.length - k] = first.length - k;
  const parts = [[from, first.length - tail, from, second.length - tail]];
  for (let part = parts.pop(); part; part = parts.pop()) {
    const [low = 0, high = 0, left = 0, right = 0] = part;
    const { i, j, size } = longest(first, low, high, second, left, right);
    if (!size) continue;
    for (let k = 0; k < size; k++) places[j + k] = i + k;
    parts.push([low, i, left, j], [i + size, high, j + size, right]);
  }
  return places;
}

/**
 * The longest passage that two parts share.
 * @param {ArrayLike<number>} first
 * @param {number} low
 * @param {number} high
 * @param {ArrayLike<number>} second
 * @param {number} left
 * @param {number} right
 */
function longest(first, low, high, second, left, right) {
  /** @type {Map<number | undefined, number[]>} where each token is in the second */
  const where = new Map();
  for (let j = left; j < right; j++) where.set(second[j], [...(where.get(second[j]) ?? []), j]);
  let best = { i: low, j: left, size: 0 };
  /** @type {Map<number, number>} how long the passage is that ends with the token before, by its place in the second */
  let ends = new Map();
  for (let i = low; i < high; i++) {
    /** @type {Map<number, number>} */
    const now = new Map();
    for (const j of where.get(first[i]) ?? []) {
      const size = (ends.get(j - 1) ?? 0) + 1;
      now.set(j, size);
      if (size > best.size) best = { i: i - size + 1, j: j - size + 1, size };
    }
    ends = now;
  }
  return best;
}
