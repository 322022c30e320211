/** What may stand in a trace, checked as the engine checks it: the same files are refused on both sides. Pure. */

import { canvasOf, NOTHING, OPEN, unpacked, WRITTEN } from "./canvas.js";
import { EDITS, SETTINGS } from "./legal.js";

/** @typedef {import("./canvas.js").Canvas} Canvas */
/** @typedef {import("./legal.js").Setting} Setting */
/** @typedef {Record<string, any>} Row */

/**
 * A moment of a run while it is read.
 * @typedef {{canvas: Canvas, step: number}} Moment
 */

export const MOST_CELLS = 65_536;
const HIGHEST = 2 ** 24; // of a cell's name
const CANDIDATES = 5;

/** @param {boolean} holds @param {string} why */
function must(holds, why) {
  if (!holds) throw new Error(why);
}

/** @param {unknown} value @returns {value is Row} */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {unknown} x */
function isWhole(x) {
  return Number.isInteger(x) && Math.abs(Number(x)) < 2 ** 31;
}

/** @param {unknown} x */
function isCount(x) {
  return isWhole(x) && Number(x) >= 0;
}

/** @param {unknown} list @param {string} what @returns {number[]} */
function wholes(list, what) {
  must(Array.isArray(list) && list.every(isWhole), `${what} is no list of whole numbers`);
  return /** @type {number[]} */ (list);
}

/** @param {unknown} list @param {string} what @returns {number[]} */
function numbers(list, what) {
  must(Array.isArray(list) && list.every(Number.isFinite), `${what} is no list of numbers`);
  return /** @type {number[]} */ (list);
}

/** @param {Row} head @returns {number} how many words its model knows */
export function wordsOf(head) {
  return head.words ?? 0xffff;
}

/** @param {number} words */
export function widthFor(words) {
  return words < 0xffff ? 2 : 3;
}

/**
 * The first moment of a run, or a sentence about what is wrong with its first line.
 * @param {Row} run
 * @returns {Moment}
 */
export function first(run) {
  const { head, canvas, pieces } = run;
  must(isObject(head), "the head is not an object");
  must(isCount(wordsOf(head)) && wordsOf(head) > 0, "a vocabulary has at least one word");
  for (const name of ["prompt", "session", "decoder", "source"])
    must(typeof (head[name] ?? "") === "string", `its ${name} is no text`);
  for (const name of ["model", "made"]) must(isObject(head[name] ?? {}), `its ${name} is no object`);
  must(typeof (head.causal ?? false) === "boolean", "it does not say whether it writes from left to right");
  for (const name of ["name", "weights", "number", "device"])
    must(typeof (head.model?.[name] ?? "") === "string", `the ${name} of its model is no text`);
  wholes(head.ends ?? [], "its list of endings");
  wholes(head.model?.skips ?? [], "its list of words for a cell too many");
  must(isObject(pieces ?? {}), "the pieces are no object");
  for (const [token, piece] of Object.entries(pieces ?? {}))
    must(/^\s*[+-]?\d+\s*$/.test(token) && typeof piece === "string", "a piece is no text");
  must(isObject(head.settings), "it has no settings");
  const { noise, ...settings } = head.settings;
  must(isCount(noise ?? 0), "the noise is no whole number");
  checkSettings(settings);
  return { canvas: checkCanvas(canvas, wordsOf(head)), step: 0 };
}

/**
 * @param {any} row
 * @param {number} words
 * @returns {Canvas}
 */
function checkCanvas(row, words) {
  must(isObject(row) && typeof row.kinds === "string", "the canvas is not whole");
  const tokens = wholes(row.tokens, "the canvas");
  must(row.kinds.length === tokens.length && /^[gyopw]*$/.test(row.kinds), "a canvas needs a token and a kind a cell");
  must(tokens.length <= MOST_CELLS, "it has more cells than can be shown");
  checkTokens(tokens, words);
  if (row.ids !== undefined) {
    const ids = wholes(row.ids, "the names of cells");
    must(ids.length === tokens.length && new Set(ids).size === ids.length, "cells need names of their own");
    must(
      ids.every((id) => id >= 0 && id < HIGHEST),
      "a cell's name is out of range",
    );
  }
  return canvasOf(/** @type {{tokens: number[], kinds: string, ids?: number[]}} */ (row));
}

/** @param {Iterable<number>} tokens @param {number} words @param {number} [least] */
function checkTokens(tokens, words, least = NOTHING) {
  for (const token of tokens) must(token >= least && token < words, `it holds tokens that are not among its ${words}`);
}

/**
 * The moment after a pass, or a sentence about what is wrong with it.
 * @param {Moment} before
 * @param {Row} row
 * @param {number} words
 * @param {boolean} [partial] whether it may leave out what the model expected
 * @returns {Moment}
 */
export function passed(before, row, words, partial = false) {
  const { canvas } = before;
  const cells = canvas.tokens.length;
  const width = widthFor(words);
  for (const name of ["step", "block", "turn", "quota", "cost", "open"])
    must(isCount(row[name]), `a pass does not say its ${name}`);
  must(row.step === before.step, `pass ${row.step} stands where pass ${before.step} should`);
  must(typeof row.done === "boolean", "a pass does not say whether it was the last");
  const written = wholes(row.w, "what a pass wrote");
  const tokens = wholes(row.t, "what a pass wrote");
  const was = wholes(row.was ?? written.map(() => NOTHING), "what stood there");
  const erased = wholes(row.x ?? [], "what a pass took back");
  must(Array.isArray(row.c), "a pass's confidences is no list of numbers");
  const sure = numbers(
    row.c.map((/** @type {unknown} */ c) => c ?? 0), // null: unknown
    "a pass's confidences",
  );
  must(
    [tokens, was, sure].every((list) => list.length === written.length),
    "a pass does not say a token for each cell",
  );
  must(
    sure.every((c) => c >= 0 && c < 1.01),
    "a confidence lies between 0 and 1",
  );
  checkTokens(tokens, words, 0);
  checkTokens(was, words);
  for (const cell of [...written, ...erased])
    must(
      cell >= 0 && cell < cells && isFree(canvas, cell),
      "a pass writes cells that are not there, or not the model's",
    );
  checkWhy(row.why);
  const times = numbers(row.ms ?? [0, 0, 0], "the times");
  must(times.length === 3, "the times are not three");
  const rows = { g: width, s: 1, e: 1, m: 1, ti: width, tp: 1, noise: width, stale: 1 };
  /** @type {Record<string, Int32Array>} */
  const read = {};
  for (const [name, wide] of Object.entries(rows)) {
    if (partial && row[name] === undefined) continue;
    const optional = name === "noise" || name === "stale";
    const row_ = rowOf(optional ? (row[name] ?? "") : row[name], wide);
    const wanted = name[0] === "t" ? cells * CANDIDATES : cells;
    must(row_.length === wanted || (optional && !row_.length), "a pass speaks of another number of cells");
    if (wide > 1) checkTokens(row_, words);
    read[name] = row_;
  }
  const after = { tokens: canvas.tokens.slice(), kinds: canvas.kinds.slice(), ids: canvas.ids };
  written.forEach((cell, i) => {
    after.tokens[cell] = /** @type {number} */ (tokens[i]);
    after.kinds[cell] = WRITTEN;
  });
  for (const cell of erased) {
    after.tokens[cell] = NOTHING;
    after.kinds[cell] = OPEN;
  }
  if (read.noise?.length) after.tokens.set(read.noise);
  const open = after.kinds.reduce((n, kind) => n + Number(kind === OPEN), 0);
  must(open === row.open, `a pass says it leaves ${row.open} cells open, but leaves ${open}`);
  return { canvas: after, step: before.step + 1 };
}

/** @param {any} text @param {number} width */
function rowOf(text, width) {
  must(typeof text === "string" && text.length % 4 === 0, "a packed row is cut off");
  must(/^[A-Za-z0-9+/]*={0,2}$/.test(text), "a packed row is garbled");
  const bytes = (text.length / 4) * 3 - (text.endsWith("==") ? 2 : Number(text.endsWith("=")));
  must(bytes % width === 0, "a packed row is cut off");
  return unpacked(text, width);
}

/** @param {any} why */
function checkWhy(why) {
  must(Array.isArray(why), "a pass does not say why");
  for (const reason of why) {
    must(Array.isArray(reason) && reason.length === 3 && typeof reason[0] === "string", "a reason is no sentence");
    const cells = wholes(reason[1], "the cells of a reason");
    const values = numbers(reason[2], "the numbers of a reason");
    must(!values.length || values.length === cells.length, "a reason needs a number for each of its cells, or none");
  }
}

/** @param {Canvas} canvas @param {number} cell */
function isFree(canvas, cell) {
  return canvas.kinds[cell] === OPEN || canvas.kinds[cell] === WRITTEN;
}

/**
 * The moment after an edit, or a sentence about what is wrong with it. Only its form is checked: the canvas it led to
 * comes with it.
 * @param {Moment} before
 * @param {Row} row
 * @param {number} words
 * @returns {Moment}
 */
export function edited(before, { edit, canvas }, words) {
  must(isObject(edit) && Object.hasOwn(EDITS, edit.do), "an edit of an unknown kind");
  for (const [name, kind] of Object.entries(EDITS[edit.do] ?? {})) {
    const optional = kind.endsWith("?");
    if (edit[name] === undefined) must(optional, `an edit has no ${name}`);
    else must(KINDS[optional ? kind.slice(0, -1) : kind]?.(edit[name]) ?? false, `an edit has a wrong ${name}`);
  }
  if (edit.changes) checkSettings(edit.changes);
  return { canvas: checkCanvas(canvas, words), step: before.step };
}

/** What the fields of an edit are made of. @type {Record<string, (value: any) => boolean>} */
const KINDS = {
  Whole: isWhole,
  Wholes: (value) => Array.isArray(value) && value.every(isWhole),
  Number: Number.isFinite,
  Flag: (value) => typeof value === "boolean",
  Text: (value) => typeof value === "string",
  "Mapping[str, Any]": isObject,
};

/** @param {Row} settings */
function checkSettings(settings) {
  for (const [name, value] of Object.entries(settings)) {
    must(Object.hasOwn(SETTINGS, name), `there is no setting ${name.slice(0, 40)}`);
    const setting = /** @type {Setting} */ (SETTINGS[name]);
    if (value === null && setting.optional) continue;
    if (setting.kind === "list") must(Array.isArray(value), `${name} is no list`);
    if (setting.kind === "object") must(isObject(value), `${name} is not an object`);
    if (setting.kind === "text") must(typeof value === "string", `${name} is no text`);
    if (setting.choices) must(setting.choices.includes(value), `${name} is none of those there are`);
    const items = setting.kind === "number" ? [value] : isObject(value) ? Object.values(value) : value;
    if (setting.most) must(items.length <= setting.most, `${name} has too many items`);
    if (setting.high !== undefined) for (const item of items) checkNumber(name, item, setting);
  }
  for (const token of Object.keys(settings.boosts ?? {})) must(/^\d{1,15}$/.test(token), "a boosted token is no token");
}

/** @param {string} name @param {unknown} value @param {Setting} setting */
function checkNumber(name, value, { low = 0, high = 0, whole }) {
  must(typeof value === "number" && value >= low && value <= high, `${name} is out of range`);
  must(!whole || Number.isInteger(value), `${name} is no whole number`);
}
