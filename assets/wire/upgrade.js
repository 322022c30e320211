/** Raises traces of versions 1 and 2, which kept an edit without the canvas that it led to. Pure. */

import { NOTHING, OPEN, OWN, PINNED, WRITTEN } from "./canvas.js";

/** @typedef {import("./canvas.js").Canvas} Canvas */

const MOST_CELLS = 65_536;

/**
 * The canvas after an edit.
 * @param {Canvas} canvas
 * @param {Record<string, any>} edit
 * @returns {Canvas}
 */
export function canvasAfter(canvas, edit) {
  checkPlace(canvas, edit);
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

/** @param {Canvas} canvas @param {Record<string, any>} edit */
function checkPlace({ tokens }, { do: kind, cells, at, by }) {
  const there = (/** @type {unknown} */ cell) => Number.isInteger(cell) && Number(cell) >= 0;
  if (cells && !(Array.isArray(cells) && cells.every((cell) => there(cell) && cell < tokens.length)))
    throw new Error("an edit names a cell that is not there");
  const whole = there(at) && Number.isInteger(by);
  const fits = whole && at - Math.min(by, 0) <= tokens.length && tokens.length + by <= MOST_CELLS;
  if (kind === "stretch" && !fits) throw new Error("an edit leaves no canvas");
}
