/** Reads what the engine writes: packed rows and canvases. Pure. */

/**
 * One message from a session, or one line of a trace. Fields are as `dllm/run/event.py` writes them.
 * @typedef {Record<string, any> & {did: string, session?: string, n?: number, at?: number}} Event
 */

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
 * @param {{tokens: number[], kinds: string, ids?: number[]}} row
 * @returns {Canvas}
 */
export function canvasOf(row) {
  const kinds = Uint8Array.from(row.kinds, (letter) => LETTERS[/** @type {keyof typeof LETTERS} */ (letter)] ?? OPEN);
  return { tokens: Int32Array.from(row.tokens), kinds, ids: Int32Array.from(row.ids ?? row.tokens.map((_, i) => i)) };
}

/**
 * A canvas after an edit, for traces, which keep the edit alone.
 * @param {Canvas} canvas
 * @param {Record<string, any>} edit
 * @returns {Canvas}
 */
export function canvasAfter(canvas, edit) {
  const tokens = Array.from(canvas.tokens);
  const kinds = Array.from(canvas.kinds);
  const ids = Array.from(canvas.ids);
  const open = (/** @type {number} */ cell) => {
    tokens[cell] = NOTHING;
    kinds[cell] = OPEN;
  };
  if (edit.do === "pin") {
    edit.cells.forEach((/** @type {number} */ cell, /** @type {number} */ i) => {
      tokens[cell] = edit.tokens[i];
      if (kinds[cell] !== OWN) kinds[cell] = PINNED;
    });
  } else if (edit.do === "release") {
    for (const cell of edit.cells) kinds[cell] = WRITTEN;
  } else if (edit.do === "erase") edit.cells.forEach(open);
  else if (edit.do === "ban" && !edit.lift) {
    tokens.forEach((token, cell) => token === edit.token && kinds[cell] === WRITTEN && open(cell));
  } else if (edit.do === "stretch") {
    const more = Math.max(0, edit.by);
    const name = Math.max(-1, ...ids) + 1;
    tokens.splice(edit.at, Math.max(0, -edit.by), ...Array(more).fill(NOTHING));
    kinds.splice(edit.at, Math.max(0, -edit.by), ...Array(more).fill(OPEN));
    ids.splice(edit.at, Math.max(0, -edit.by), ...Array.from({ length: more }, (_, i) => name + i));
  }
  return { tokens: Int32Array.from(tokens), kinds: Uint8Array.from(kinds), ids: Int32Array.from(ids) };
}
