/** Reads a trace file, and says in a sentence what is wrong with one that cannot be shown. Pure. */

import { rowOfCanvas } from "./canvas.js";
import { sha256 } from "./digest.js";
import { completeHead, completePass } from "./partial.js";
import { edited, first, isObject, passed, widthFor, wordsOf } from "./strict.js";
import { canvasAfter } from "./upgrade.js";

/** @typedef {import("./canvas.js").Event} Event */
/** @typedef {import("./strict.js").Moment} Moment */
/** @typedef {"whole" | "edited" | "none"} Seal what a file says of itself: as written, changed since, or nothing */

export const MOST_BYTES = 64 << 20;
const MOST_LINES = 20_000;
const MOST_HELD = 16_000_000; // cells of all moments together
const DEEPEST = 32;
const NEWEST = 5; // a line may say what a check found
const VERSION = 4; // from here on a line may leave out what a reader can do without
const MOST_RUNS = 8;
const MOST_HEADS = 256;

/**
 * The runs of a trace file, each as the events that a live run would have sent: every branch, and last the one that was
 * being written.
 * @param {string} text
 * @returns {Event[][]}
 */
export function traceOf(text) {
  if (text.length > MOST_BYTES)
    throw new Error(`This file is too large for a trace: ${MOST_BYTES >> 20} MB is the most.`);
  const lines = linesOf(text);
  if (lines.length > MOST_LINES) throw new Error(`This trace has more than ${MOST_LINES} lines.`);
  const { version, runs } = begun(lines[0] ?? "");
  lines.slice(1).forEach((line, i) => {
    try {
      const row = parsed(line);
      const run = Number.isInteger(row.run ?? 0) ? runs[row.run ?? 0] : undefined;
      if (!run) throw new Error("there is no such run in it");
      if (row.did === "stepped") add(run, run.lacks ? whole(run, row) : row, run.lacks);
      if (row.did === "edited") add(run, version < 3 ? withCanvas(run, row) : row);
      if (runs.reduce((sum, { size }) => sum + size, 0) > MOST_HELD)
        throw new Error(`it has more than ${MOST_HELD} cells in all its moments together`);
    } catch (error) {
      throw new Error(`Line ${i + 2} of this trace is damaged: ${why(error)}`, { cause: error });
    }
  });
  try {
    runs.forEach(checkHeads);
  } catch (error) {
    throw new Error(`Line 1 of this trace is damaged: ${why(error)}`, { cause: error });
  }
  return runs.map(eventsOf);
}

/**
 * Whether a file is as it was written: its last line holds a digest of all before it.
 * @param {string} text of a file that was read
 * @returns {Seal}
 */
export function sealOf(text) {
  const lines = linesOf(text);
  const last = lines.at(-1) ?? "";
  const seals = (/** @type {string} */ line) => line.includes('"did":"sealed"');
  if (!seals(last)) return lines.slice(-9).some(seals) ? "edited" : "none";
  return JSON.parse(last).sha256 === sha256(text.slice(0, text.lastIndexOf(last))) ? "whole" : "edited";
}

/** @param {string} text */
function linesOf(text) {
  const lines = text.split("\n");
  while (lines.length && !lines.at(-1)?.trim()) lines.pop();
  return lines;
}

/**
 * A line as an object, or an error.
 * @param {string} line
 * @returns {Record<string, any>}
 */
function parsed(line) {
  let depth = 0;
  for (let i = 0; i < line.length; i++) {
    const mark = line.charCodeAt(i);
    if (mark === 91 || mark === 123) depth++;
    else if (mark === 93 || mark === 125) depth--;
    if (depth > DEEPEST) throw new Error("it is nested too deeply");
  }
  const row = JSON.parse(line, /[eE]\+?\d{3}/.test(line) ? finite : undefined);
  if (!isObject(row)) throw new Error("it is not an object");
  return row;
}

/** @param {string} _ @param {unknown} value */
function finite(_, value) {
  if (typeof value === "number" && !Number.isFinite(value)) throw new Error("a number is none to go on with");
  return value;
}

/**
 * @typedef {object} Run one run of a file while it is read
 * @property {Record<string, any>} first
 * @property {Event[]} rows moments behind the first
 * @property {number[]} follows the number of the moment that each row follows
 * @property {Moment[]} moments by their numbers, the one before the first row too
 * @property {number[]} depths of each moment
 * @property {number} size cells of all moments
 * @property {boolean} lacks its lines may leave out what a reader can do without
 */

/**
 * @param {string} line
 * @returns {{version: number, runs: Run[]}}
 */
function begun(line) {
  let row;
  try {
    row = parsed(line);
  } catch {
    row = null;
  }
  if (!Number.isInteger(row?.unmask)) throw new Error("This file is not a trace: its first line does not say so.");
  if (row?.unmask > NEWEST)
    throw new Error(`This trace comes from a newer version of Unmask, which is needed to show it.`);
  try {
    const runs = row?.unmask === 1 ? [row] : row?.runs;
    if (!Array.isArray(runs) || !runs.length || runs.length > MOST_RUNS || !runs.every(isObject))
      throw new Error(`a trace holds 1 to ${MOST_RUNS} runs`);
    const fresh = { rows: [], follows: [], depths: [0], size: 0 };
    return {
      version: row?.unmask,
      runs: runs.map((run) => {
        const lacks = row?.unmask === VERSION || (row?.unmask === NEWEST && run.head?.source !== undefined);
        const complete = lacks ? withHead(run) : run;
        return { ...structuredClone(fresh), lacks, first: complete, moments: [first(complete)] };
      }),
    };
  } catch (error) {
    throw new Error(`Line 1 of this trace is damaged: ${why(error)}`, { cause: error });
  }
}

/**
 * The moment that a row follows.
 * @param {Run} run
 * @param {Record<string, any>} row
 */
function beforeOf(run, row) {
  const follows = row.after ?? run.moments.length - 1;
  const before = run.moments[follows];
  if (!Number.isInteger(follows) || !before) throw new Error("it follows a moment that is not there");
  return { follows, before };
}

/**
 * A row of an old version with the canvas that its edit led to.
 * @param {Run} run
 * @param {Record<string, any>} row
 */
function withCanvas(run, row) {
  if (!isObject(row.edit)) throw new Error("an edit is not an object");
  return { ...row, canvas: row.canvas ?? rowOfCanvas(canvasAfter(beforeOf(run, row).before.canvas, row.edit)) };
}

/**
 * A run of another program's file, with a complete head.
 * @param {Record<string, any>} run
 */
function withHead(run) {
  if (!isObject(run.head)) return run; // refused later, in a sentence
  const head = completeHead(run.head);
  return { ...run, head: { ...head, width: widthFor(wordsOf(head)) } };
}

/**
 * A pass of another program's file, with every key that is needed.
 * @param {Run} run
 * @param {Record<string, any>} row
 */
function whole(run, row) {
  const { before } = beforeOf(run, row);
  return completePass(row, before.canvas, before.step, run.first.head.width);
}

/**
 * @param {Run} run
 * @param {Record<string, any>} row
 * @param {boolean} [partial] whether it may leave out what the model expected
 */
function add(run, row, partial) {
  const { follows, before } = beforeOf(run, row);
  const words = wordsOf(run.first.head);
  const moment = row.did === "stepped" ? passed(before, row, words, partial) : edited(before, row, words);
  const depth = (run.depths[follows] ?? 0) + 1; // counted here, so that a line left out cannot leave a hole
  run.rows.push(/** @type {Event} */ ({ ...row, at: depth }));
  run.follows.push(follows);
  run.moments.push(moment);
  run.depths.push(depth);
  run.size += moment.canvas.tokens.length;
}

/** @param {Run} run */
function checkHeads({ first: { heads, on }, moments }) {
  if (heads === undefined) return;
  const ends = isObject(heads) ? Object.values(heads) : [];
  if (!ends.length || ends.length > MOST_HEADS || !Object.keys(heads).includes(on ?? "1"))
    throw new Error(`a run has 1 to ${MOST_HEADS} branches, and one that is being written`);
  if (!ends.every((end) => Number.isInteger(end) && end >= 0 && end < moments.length))
    throw new Error("a branch ends at a moment that is not there");
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
  const owners = [names[0] ?? "1"]; // the branch that each moment is on
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
    go(owners[parent] ?? on, 0); // a branch begins where its parent recorded it
    go(name, depths[parent] ?? 0);
    for (; next < last; next++) {
      events.push(/** @type {Event} */ (rows[next]));
      owners.push(name);
    }
  }
  go(first.on ?? on, 0);
  return events;
}

/** @param {unknown} error */
function why(error) {
  if (error instanceof SyntaxError) return "it is cut off or garbled.";
  return error instanceof TypeError ? "something is missing." : `${error instanceof Error ? error.message : error}.`;
}
