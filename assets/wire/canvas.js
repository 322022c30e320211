/** Reads what the engine writes: packed rows and canvases. Pure. */

/** @typedef {import("./messages.d.ts").Event} Message one message from the server, or one line of a trace */
/** @typedef {Record<string, any> & {did: string, session?: string, n?: number, at?: number}} Event the same, as JSON */
/** @typedef {import("./messages.d.ts").CanvasRow} CanvasRow */

/**
 * A canvas as cells: what stands in each, of which kind it is, and the names that survive insertions.
 * @typedef {{tokens: Int32Array, kinds: Uint8Array, ids: Int32Array}} Canvas
 */

export const NOTHING = -1;
export const GIVEN = 0;
export const OPEN = 1;
export const PINNED = 2;
export const WRITTEN = 3;
export const OWN = 4; // given as the prompt is, but a person's own text, which may be opened again

const LETTERS = { g: GIVEN, o: OPEN, p: PINNED, w: WRITTEN, y: OWN };

/**
 * Numbers of `width` bytes each, little end first, from base64. All ones stand for nothing where a token is meant.
 * @param {string} text
 * @param {number} width
 */
export function unpacked(text, width) {
  const bytes = atob(text);
  const count = Math.floor(bytes.length / width);
  const row = new Int32Array(count);
  const nothing = 2 ** (8 * width) - 1;
  for (let i = 0; i < count; i++) {
    let value = 0;
    for (let k = width - 1; k >= 0; k--) value = value * 256 + bytes.charCodeAt(i * width + k);
    row[i] = width > 1 && value === nothing ? NOTHING : value;
  }
  return row;
}

/**
 * Numbers as base64, the reverse of `unpacked`.
 * @param {ArrayLike<number>} row
 * @param {number} width
 */
export function packed(row, width) {
  let bytes = "";
  for (let i = 0; i < row.length; i++)
    for (let k = 0; k < width; k++) bytes += String.fromCharCode(((row[i] ?? 0) >> (8 * k)) & 255);
  return btoa(bytes);
}

/**
 * @param {CanvasRow} row
 * @returns {Canvas}
 */
export function canvasOf(row) {
  const kinds = Uint8Array.from(row.kinds, (letter) => LETTERS[/** @type {keyof typeof LETTERS} */ (letter)] ?? OPEN);
  return { tokens: Int32Array.from(row.tokens), kinds, ids: Int32Array.from(row.ids ?? row.tokens.map((_, i) => i)) };
}

/**
 * @param {Canvas} canvas
 * @returns {CanvasRow}
 */
export function rowOfCanvas({ tokens, kinds, ids }) {
  const letters = Object.fromEntries(Object.entries(LETTERS).map(([letter, kind]) => [kind, letter]));
  return { tokens: [...tokens], kinds: Array.from(kinds, (kind) => letters[kind]).join(""), ids: [...ids] };
}
