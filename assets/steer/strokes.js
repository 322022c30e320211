/** What a stroke of the hand does to a drawn schedule. Pure. */

export const COLUMNS = 16;
export const STEP = 0.05;

/**
 * The shares after a stroke from one place to another; what lies between is filled evenly, so that a quick hand leaves no gaps.
 * @param {number[]} shares
 * @param {[number, number]} from column and height
 * @param {[number, number]} to
 * @param {boolean} [empty] whether all may be nothing
 */
export function stroke(shares, from, to, empty = false) {
  const next = shares.slice();
  const [low, high] = from[0] <= to[0] ? [from, to] : [to, from];
  for (let column = low[0]; column <= high[0]; column++) {
    const part = high[0] === low[0] ? 1 : (column - low[0]) / (high[0] - low[0]);
    const height = high[0] === low[0] ? to[1] : low[1] + part * (high[1] - low[1]);
    if (column >= 0 && column < next.length) next[column] = tidy(height);
  }
  return empty || next.some((share) => share > 0) ? next : shares; // a run must decide something somewhere
}

/** @param {number} height */
function tidy(height) {
  return Math.round(Math.min(1, Math.max(0, height)) / STEP) * STEP;
}
