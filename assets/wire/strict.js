/** What may stand in a trace, checked as the engine checks it: the same files are refused on both sides. Pure. */

import { canvasAfter, canvasOf, GIVEN, NOTHING, OPEN, OWN, PINNED, unpacked, WRITTEN } from "./canvas.js";
import { NAMES, RANGES, WHOLE, WORDS } from "./legal.js";

/** @typedef {import("./canvas.js").Canvas} Canvas */
/** @typedef {Record<string, any>} Row */

/**
 * A moment of a run while it is read.
 * @typedef {{canvas: Canvas, step: number, bans: Set<number>}} Moment
 */

export const MOST_CELLS = 65_536;
const HIGHEST = 2 ** 24; // of a cell's name
const CANDIDATES = 5;
const SAFE = 2 ** 53;

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
function widthFor(words) {
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
  for (const name of ["prompt", "session"]) must(typeof (head[name] ?? "") === "string", `its ${name} is no text`);
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
  return { canvas: checkCanvas(canvas, wordsOf(head)), step: 0, bans: new Set(settings.bans ?? []) };
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
 * @returns {Moment}
 */
export function passed(before, row, words) {
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
  const sure = numbers(row.c, "a pass's confidences");
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
  return { canvas: after, step: before.step + 1, bans: before.bans };
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
 * The moment after an edit, or a sentence about what is wrong with it.
 * @param {Moment} before
 * @param {any} edit
 * @param {number} words
 * @returns {Moment}
 */
export function edited(before, edit, words) {
  must(isObject(edit), "an edit is not an object");
  const { canvas, bans } = before;
  const named = edit.do === "pin" || edit.do === "release" || edit.do === "erase" ? cellsOf(edit, canvas) : [];
  let after = bans;
  switch (edit.do) {
    case "pin":
      checkPin(edit, named, bans, words);
      break;
    case "release":
      must(
        named.every((cell) => canvas.kinds[cell] === PINNED || canvas.kinds[cell] === OWN),
        "an edit releases a cell that is not pinned",
      );
      break;
    case "erase":
      break;
    case "ban": {
      checkToken(edit.token, words);
      must(typeof (edit.lift ?? false) === "boolean", "a ban is lifted or not");
      const pinned = canvas.tokens.some((token, i) => token === edit.token && canvas.kinds[i] === PINNED);
      must(edit.lift || !pinned, "an edit bans a word that is pinned");
      after = new Set(bans);
      if (edit.lift) after.delete(edit.token);
      else after.add(edit.token);
      break;
    }
    case "boost":
      checkToken(edit.token, words);
      must(Number.isFinite(edit.amount) && Math.abs(edit.amount) <= 100, "a boost goes from -100 to 100");
      break;
    case "stretch":
      checkStretch(edit, canvas);
      break;
    case "tune":
      must(isObject(edit.changes ?? {}) && (edit.preset ?? "") === "", "an edit changes no settings");
      checkSettings(edit.changes ?? {});
      if (edit.changes?.bans) after = new Set(edit.changes.bans);
      for (const token of [...after, ...Object.keys(edit.changes?.boosts ?? {}).map(Number)]) checkToken(token, words);
      break;
    default:
      throw new Error("an edit of an unknown kind");
  }
  return { canvas: canvasAfter(canvas, edit), step: before.step, bans: after };
}

/** @param {Row} edit @param {Canvas} canvas */
function cellsOf(edit, canvas) {
  const cells = wholes(edit.cells, "the cells of an edit");
  must(cells.length > 0, "an edit names no cells");
  for (const cell of cells) {
    must(cell >= 0 && cell < canvas.tokens.length, "an edit names a cell that is not there");
    must(canvas.kinds[cell] !== GIVEN, "an edit names a cell of the prompt");
  }
  return cells;
}

/** @param {Row} edit @param {number[]} cells @param {Set<number>} bans @param {number} words */
function checkPin(edit, cells, bans, words) {
  const tokens = wholes(edit.tokens, "the tokens of an edit");
  must(tokens.length === cells.length, "an edit pins cells without tokens");
  const wanted = new Map();
  cells.forEach((cell, i) => {
    const token = tokens[i];
    checkToken(token, words);
    must((wanted.get(cell) ?? token) === token, "an edit pins two tokens to one cell");
    must(!bans.has(Number(token)), "an edit pins a word that is banned");
    wanted.set(cell, token);
  });
}

/** @param {unknown} token @param {number} words */
function checkToken(token, words) {
  must(isCount(token) && Number(token) < words, `there is no token ${token}`);
}

/** @param {Row} edit @param {Canvas} canvas */
function checkStretch({ at, by }, { kinds }) {
  const length = kinds.length;
  const given = (/** @type {number} */ kind) => kind === GIVEN;
  const found = kinds.findIndex((kind) => !given(kind));
  const origin = found < 0 ? length : found;
  must(isWhole(at) && at >= origin && at <= length, "an edit stretches the prompt");
  must(isWhole(by) && by !== 0 && length + by <= MOST_CELLS, "an edit leaves no canvas");
  if (by > 0) return;
  must(at - by <= length && !kinds.slice(at, at - by).some(given), "an edit removes cells that are not there");
  const answer = kinds.filter((kind, cell) => !given(kind) && kind !== OWN && (cell < at || cell >= at - by));
  must(answer.length >= 1, "an edit leaves no cell of the answer");
}

/** @param {Row} settings */
function checkSettings(settings) {
  for (const [name, value] of Object.entries(settings)) {
    must(NAMES.includes(name), `there is no setting ${name.slice(0, 40)}`);
    const range = RANGES[name];
    if (range && !(name === "temperature_end" && value === null)) {
      must(typeof value === "number" && value >= range[0] && value <= range[1], `${name} is out of range`);
      must(!WHOLE.includes(name) || Number.isInteger(value), `${name} is no whole number`);
    } else if (WORDS[name]) must(WORDS[name].includes(value), `${name} is none of those there are`);
    else if (name === "policy") must(typeof value === "string", "a decoder has a name");
    else if (name === "options" || name === "constraint") must(isObject(value), `${name} is not an object`);
  }
  const { shares = [], bans = [], boosts = {} } = settings;
  must(numbers(shares, "the shares").length <= 1024, "there are too many shares");
  must(Array.isArray(bans) && bans.length <= 4096, "the bans are no list");
  for (const token of bans) must(Number.isInteger(token) && token >= 0 && token < SAFE, "a banned token is no token");
  must(isObject(boosts) && Object.keys(boosts).length <= 4096, "the boosts are no object");
  for (const [token, amount] of Object.entries(boosts)) {
    must(/^\s*\+?\d+\s*$/.test(token), "a boosted token is no token");
    must(typeof amount === "number" && Math.abs(amount) <= 100, "a boost goes from -100 to 100");
  }
}
