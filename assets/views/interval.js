/** How far a share that was counted may be from the true one. Pure. */

const Z = 1.96; // standard deviations to both sides that hold 95 %

/**
 * Wilson's 95 % interval of a share.
 * @param {number} hits
 * @param {number} count
 * @returns {[number, number]}
 */
export function interval(hits, count) {
  const share = hits / count;
  const room = (Z * Z) / count;
  const middle = (share + room / 2) / (1 + room);
  const half = (Z / (1 + room)) * Math.sqrt((share * (1 - share)) / count + room / (4 * count));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}
