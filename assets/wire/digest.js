/** SHA-256 of a text, in the order of FIPS 180-4: browsers give theirs only to pages of https, and only later. Pure. */

const ROUNDS = new Uint32Array(64);
const START = new Uint32Array(8);
for (let n = 2, found = 0; found < 64; n++) {
  let prime = true;
  for (let d = 2; d * d <= n; d++) if (n % d === 0) prime = false;
  if (!prime) continue;
  if (found < 8) START[found] = fraction(Math.sqrt(n)); // the first bits behind the point of square and cube roots
  ROUNDS[found++] = fraction(Math.cbrt(n));
}

/** @param {number} x */
function fraction(x) {
  return Math.floor((x - Math.floor(x)) * 2 ** 32);
}

/**
 * @param {string} text
 * @returns {string} in hex
 */
export function sha256(text) {
  const content = new TextEncoder().encode(text);
  const padded = new Uint8Array(((content.length + 8) >> 6) * 64 + 64);
  padded.set(content);
  padded[content.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(content.length / 2 ** 29));
  view.setUint32(padded.length - 4, (content.length << 3) >>> 0);
  const state = START.slice();
  const words = new Uint32Array(64);
  for (let at = 0; at < padded.length; at += 64) block(view, at, words, state);
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

/**
 * @param {DataView} view
 * @param {number} at
 * @param {Uint32Array} w
 * @param {Uint32Array} state
 */
function block(view, at, w, state) {
  const get = (/** @type {number} */ i) => /** @type {number} */ (w[i]);
  for (let i = 0; i < 16; i++) w[i] = view.getUint32(at + 4 * i);
  for (let i = 16; i < 64; i++) {
    const x = get(i - 15);
    const y = get(i - 2);
    w[i] =
      get(i - 16) +
      (turned(x, 7) ^ turned(x, 18) ^ (x >>> 3)) +
      get(i - 7) +
      (turned(y, 17) ^ turned(y, 19) ^ (y >>> 10));
  }
  let [a, b, c, d, e, f, g, h] = /** @type {[number, number, number, number, number, number, number, number]} */ (
    /** @type {unknown} */ (Array.from(state))
  );
  for (let i = 0; i < 64; i++) {
    const one = (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + h + Number(ROUNDS[i]) + get(i);
    const two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [a, b, c, d, e, f, g, h] = [(one + two) >>> 0, a, b, c, (d + one) >>> 0, e, f, g];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] = Number(state[i]) + word));
}

/** @param {number} x @param {number} n */
function turned(x, n) {
  return (x >>> n) | (x << (32 - n));
}
