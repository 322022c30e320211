/** A schedule as a row of digits: each cell has the number of the pass that writes it. Pure. */

/** How many cells each pass writes.
 * @param {string} digits
 */
export function sizes(digits) {
  const found = [...new Set(digits)].sort();
  return found.map((digit) => [...digits].filter((one) => one === digit).length);
}

/** The next pass that a cell may be in.
 * @param {string} digits
 * @param {number} cell
 * @param {number} passes
 */
export function moved(digits, cell, passes) {
  const next = (Number(digits[cell]) % passes) + 1;
  return `${digits.slice(0, cell)}${next}${digits.slice(cell + 1)}`;
}
