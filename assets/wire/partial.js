/** Lines of a trace that another program wrote: what they leave out is put in place, as the engine does it
 * (`dllm/run/trace_lines.py`). What is not known stays away, so that nothing is drawn. Pure. */

import { NOTHING, OPEN, packed } from "./canvas.js";

/** @typedef {Record<string, any>} Row */
/** @typedef {import("./canvas.js").Canvas} Canvas */

const TOP = 5;

/** @param {boolean} holds @param {string} why */
function must(holds, why) {
  if (!holds) throw new Error(why);
}

/**
 * A row without the keys that are null.
 * @param {Row} row
 */
function given(row) {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

/**
 * The head of a run with what every reader needs.
 * @param {Row} head
 * @returns {Row}
 */
export function completeHead(head) {
  return { settings: {}, source: "", ends: [], words: 0xffff, ...given(head) };
}

/**
 * A pass with every key that is needed to show it.
 * @param {Row} row
 * @param {Canvas} canvas before it
 * @param {number} step
 * @param {number} width bytes of a packed token
 * @returns {Row}
 */
export function completePass(row, { tokens, kinds }, step, width) {
  const { w, x = [], beliefs, ...rest } = given(row);
  must(Array.isArray(w), "a pass does not say what it wrote");
  must(Array.isArray(x), "what a pass took back is no list");
  const after = kinds.slice();
  const cells = w.filter((/** @type {unknown} */ cell) => Number.isInteger(cell));
  for (const cell of cells) if (cell < after.length) after[cell] = OPEN + 1;
  for (const cell of x) if (cell < after.length) after[cell] = OPEN;
  const open = after.reduce((n, kind) => n + Number(kind === OPEN), 0);
  return {
    ...{ step, block: 0, turn: step, quota: w.length, cost: 1, open, done: open === 0, why: [], c: w.map(() => null) },
    was: cells.map((/** @type {number} */ cell) => (kinds[cell] === OPEN ? NOTHING : (tokens[cell] ?? NOTHING))),
    ...(beliefs ? packedBeliefs(beliefs, tokens.length, width) : {}),
    ...rest,
    w,
    x,
  };
}

/** @param {any} beliefs @param {number} cells @param {number} width */
function packedBeliefs(beliefs, cells, width) {
  must(Array.isArray(beliefs), "the beliefs are no list");
  const ids = new Int32Array(cells * TOP).fill(NOTHING);
  const shares = new Float64Array(cells * TOP);
  const entropy = new Float64Array(cells);
  let known = false;
  for (const { cell, top, entropy: nats } of beliefs) {
    must(Number.isInteger(cell) && cell >= 0, "a belief does not say its cell");
    must(cell < cells, `a belief is about cell ${cell}, and there are ${cells}`);
    must(Array.isArray(top) && top.length > 0 && top.length <= TOP, `a belief has 1 to ${TOP} tokens`);
    top.forEach((/** @type {any} */ pair, /** @type {number} */ k) => {
      must(Array.isArray(pair) && pair.length === 2, "a belief needs pairs of a token and its probability");
      const [token, share] = pair;
      must(Number.isInteger(token), "a belief is about a token that is none");
      must(typeof share === "number" && share >= 0 && share <= 1, "a probability lies between 0 and 1");
      ids[cell * TOP + k] = token;
      shares[cell * TOP + k] = share;
    });
    must((nats ?? 0) - (nats ?? 0) === 0, "an entropy is no number");
    known ||= typeof nats === "number";
    entropy[cell] = Math.min(Math.max(nats ?? 0, 0) * 32, 255);
  }
  const first = (/** @type {number} */ cell) => shares[cell * TOP] ?? 0;
  const each = Array.from({ length: cells }, (_, cell) => cell);
  return {
    g: packed(
      each.map((cell) => ids[cell * TOP] ?? NOTHING),
      width,
    ),
    s: packed(
      each.map((cell) => Math.round(first(cell) * 255)),
      1,
    ),
    m: packed(
      each.map((cell) => Math.round(Math.max(first(cell) - (shares[cell * TOP + 1] ?? 0), 0) * 255)),
      1,
    ),
    ti: packed(ids, width),
    tp: packed(
      Array.from(shares, (share) => Math.round(share * 255)),
      1,
    ),
    ...(known ? { e: packed(Array.from(entropy, Math.round), 1) } : {}),
  };
}
