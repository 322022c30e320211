/** Reads a trace file, and says in a sentence what is wrong with one that cannot be shown. Pure. */

import { unpacked } from "./canvas.js";

/** @typedef {import("./canvas.js").Event} Event */

export const MOST_BYTES = 64 << 20;
const MOST_LINES = 20_000;
const MOST_CELLS = 65_536;
const VERSION = 2;
const MOST_RUNS = 8;
const EDITS = new Set(["pin", "release", "erase", "ban", "boost", "stretch", "tune"]);

/**
 * The runs of a trace file, each as the events that would have told of it: every branch, and last the one that was
 * being written.
 * @param {string} text
 * @returns {Event[][]}
 */
export function traceOf(text) {
  if (text.length > MOST_BYTES)
    throw new Error(`This file is too large for a trace: ${MOST_BYTES >> 20} MB is the most.`);
  const lines = text.split("\n").filter((line) => line.trim());
  if (lines.length > MOST_LINES) throw new Error(`This trace has more than ${MOST_LINES} lines.`);
  const runs = begun(lines[0] ?? "");
  lines.slice(1).forEach((line, i) => {
    try {
      const row = JSON.parse(line);
      if (row.did !== "stepped" && row.did !== "edited") return;
      const run = runs[row.run ?? 0];
      if (!run) throw new Error("there is no such run in it");
      add(run, row);
    } catch (error) {
      throw new Error(`Line ${i + 2} of this trace is damaged: ${why(error)}`, { cause: error });
    }
  });
  return runs.map(eventsOf);
}

/**
 * @typedef {object} Run one run of a file while it is read
 * @property {Record<string, any>} first
 * @property {Event[]} rows moments behind the first
 * @property {number[]} follows the number of the moment that each row follows
 * @property {number[]} cells of each moment, by its number
 * @property {number[]} depths of each moment
 */

/**
 * @param {string} line
 * @returns {Run[]}
 */
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
  const runs = first.unmask === 1 ? [first] : first.runs;
  const whole = Array.isArray(runs) && runs.length > 0 && runs.length <= MOST_RUNS;
  if (!whole || !runs.every((run) => run?.head && typeof run.head === "object" && isCanvas(run.canvas)))
    throw new Error("Line 1 of this trace is damaged: its head or its canvas is not whole.");
  if (runs.some((run) => run.canvas.tokens.length > MOST_CELLS))
    throw new Error("This trace has more cells than can be shown.");
  return runs.map((run) => ({ first: run, rows: [], follows: [], cells: [run.canvas.tokens.length], depths: [0] }));
}

/**
 * @param {Run} run
 * @param {Record<string, any>} row
 */
function add(run, row) {
  const follows = row.after ?? run.cells.length - 1;
  let cells = run.cells[follows];
  if (cells === undefined) throw new Error("it follows a moment that is not there");
  if (row.did === "stepped") checkPass(row, cells, run.first.head.width ?? 2);
  else {
    cells = checkEdit(row.edit, cells);
    if (row.canvas && !(isCanvas(row.canvas) && row.canvas.tokens.length === cells))
      throw new Error("an edit leaves a canvas that is not whole");
  }
  const depth = (run.depths[follows] ?? 0) + 1; // counted here, so that a line left out cannot leave a hole
  run.rows.push(/** @type {Event} */ ({ ...row, at: depth }));
  run.follows.push(follows);
  run.cells.push(cells);
  run.depths.push(depth);
}

/**
 * @param {Run} run
 * @returns {Event[]}
 */
function eventsOf(run) {
  const { first, rows, follows, depths } = run;
  const heads = /** @type {Record<string, number>} */ (first.heads ?? { 1: rows.length });
  const names = Object.keys(heads);
  const newest = Object.fromEntries(names.map((name) => [name, depths[heads[name] ?? 0] ?? 0]));
  /** @type {Event[]} */
  const events = [{ did: "opened", session: "replay", head: first.head, canvas: first.canvas, pieces: first.pieces }];
  const owners = [names[0] ?? "1"]; // the branch on which each moment was told of
  let on = names[0] ?? "1";
  let next = 0;
  /** @param {string} head @param {number} at */
  const go = (head, at) => {
    if (head !== on) events.push({ did: "branched", head, left: on, at, heads: newest });
    on = head;
  };
  for (const name of names) {
    const last = heads[name] ?? 0;
    const parent = (last > next ? follows[next] : last) ?? 0;
    go(owners[parent] ?? on, 0); // a branch is left where it was told of
    go(name, depths[parent] ?? 0);
    for (; next < last; next++) {
      events.push(/** @type {Event} */ (rows[next]));
      owners.push(name);
    }
  }
  go(first.on ?? on, 0);
  return events;
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

/** @param {unknown} error */
function why(error) {
  if (error instanceof SyntaxError) return "it is cut off or garbled.";
  return error instanceof TypeError ? "something is missing." : `${error instanceof Error ? error.message : error}.`;
}
