/** Reads a trace file, and says in a sentence what is wrong with one that cannot be shown. Pure. */

import { unpacked } from "./canvas.js";

/** @typedef {import("./canvas.js").Event} Event */

export const MOST_BYTES = 64 << 20;
const MOST_LINES = 20_000;
const MOST_CELLS = 65_536;
const VERSION = 1;
const EDITS = new Set(["pin", "release", "erase", "ban", "boost", "stretch", "tune"]);

/**
 * The events of a trace file: its first line becomes the event that opens it.
 * @param {string} text
 * @returns {Event[]}
 */
export function traceOf(text) {
  if (text.length > MOST_BYTES)
    throw new Error(`This file is too large for a trace: ${MOST_BYTES >> 20} MB is the most.`);
  const lines = text.split("\n").filter((line) => line.trim());
  if (lines.length > MOST_LINES) throw new Error(`This trace has more than ${MOST_LINES} lines.`);
  const first = begun(lines[0] ?? "");
  let cells = first.canvas.tokens.length;
  const width = first.head.width ?? 2;
  const opened = { did: "opened", session: "replay", head: first.head, canvas: first.canvas, pieces: first.pieces };
  const rows = lines.slice(1).map((line, i) => {
    try {
      const row = JSON.parse(line);
      if (row.did === "stepped") checkPass(row, cells, width);
      if (row.did === "edited") {
        cells = checkEdit(row.edit, cells);
        if (row.canvas && !(isCanvas(row.canvas) && row.canvas.tokens.length === cells))
          throw new Error("an edit leaves a canvas that is not whole");
      }
      return row;
    } catch (error) {
      throw new Error(`Line ${i + 2} of this trace is damaged: ${why(error)}`, { cause: error });
    }
  });
  return [opened, ...rows.filter((row) => row.did === "stepped" || row.did === "edited").map(placed)];
}

/** @param {string} line */
function begun(line) {
  let first;
  try {
    first = JSON.parse(line);
  } catch {
    first = null;
  }
  if (typeof first?.unmask !== "number") throw new Error("This file is not a trace: its first line does not say so.");
  if (first.unmask > VERSION)
    throw new Error(`This trace comes from a newer version of Unmask, which is needed to show it.`);
  const { head, canvas } = first;
  if (!head || typeof head !== "object" || !isCanvas(canvas))
    throw new Error("Line 1 of this trace is damaged: its head or its canvas is not whole.");
  if (canvas.tokens.length > MOST_CELLS) throw new Error("This trace has more cells than can be shown.");
  return first;
}

/** @param {any} canvas */
function isCanvas(canvas) {
  const { tokens, kinds, ids } = canvas ?? {};
  if (!Array.isArray(tokens) || !tokens.every(Number.isInteger)) return false;
  if (ids !== undefined && !(Array.isArray(ids) && ids.length === tokens.length && ids.every(Number.isInteger)))
    return false;
  return kinds?.length === tokens.length && /^[gopw]*$/.test(kinds);
}

/**
 * @param {Record<string, any>} row
 * @param {number} cells
 * @param {number} width
 */
function checkPass(row, cells, width) {
  const inside = (/** @type {unknown} */ cell) => Number.isInteger(cell) && Number(cell) >= 0 && Number(cell) < cells;
  if (![row.w, row.t, row.c, row.why].every(Array.isArray)) throw new Error("a pass does not say what it wrote");
  if (row.w.length !== row.t.length || row.w.length !== row.c.length)
    throw new Error("a pass names cells without tokens");
  if (!row.w.every(inside) || !(row.x ?? []).every(inside)) throw new Error("a pass writes a cell that is not there");
  if (![...row.t, ...row.c, ...(row.ms ?? [])].every(Number.isFinite)) throw new Error("a number is none");
  for (const [key, wide] of /** @type {const} */ ([
    ["g", width],
    ["s", 1],
  ]))
    if (row[key] !== undefined && unpacked(row[key], wide).length !== cells)
      throw new Error(`a pass speaks of another number of cells than ${cells}`);
}

/**
 * @param {Record<string, any>} edit
 * @param {number} cells
 * @returns {number} cells there are after it
 */
function checkEdit(edit, cells) {
  if (!EDITS.has(edit?.do)) throw new Error("an edit of an unknown kind");
  const named = edit.cells ?? [];
  if (named.some((/** @type {number} */ cell) => !Number.isInteger(cell) || cell < 0 || cell >= cells))
    throw new Error("an edit names a cell that is not there");
  if (edit.do === "pin" && edit.tokens?.length !== named.length) throw new Error("an edit pins cells without tokens");
  if (edit.do !== "stretch") return cells;
  const after = cells + edit.by;
  if (!Number.isInteger(after) || after < 1 || after > MOST_CELLS) throw new Error("an edit leaves no canvas");
  return after;
}

/** Moments are counted here, so that a line left out cannot leave a hole.
 * @param {Event} row
 * @param {number} i
 */
function placed(row, i) {
  return { ...row, at: i + 1 };
}

/** @param {unknown} error */
function why(error) {
  if (error instanceof SyntaxError) return "it is cut off or garbled.";
  return error instanceof TypeError ? "something is missing." : `${error instanceof Error ? error.message : error}.`;
}
