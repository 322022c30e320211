/** What a preview shows: which words of the text would be others, and where they would stand. Pure. */

import { joins, shownAs } from "../../assets/looks/glyphs.js";
import { NOTHING, OPEN, PINNED, canvasOf } from "../../assets/wire/canvas.js";
import { textEnd } from "../../assets/wire/timeline.js";
import { aligned } from "../../assets/views/alignment.js";
import { WORD, hasSpaces } from "../../assets/views/changes.js";

/** @typedef {import("../../assets/wire/store.js").Side} Side */
/** @typedef {import("../../assets/wire/canvas.js").Event} Event */
/** @typedef {{text: string, fresh: boolean}} Word with the space before it, where there is one */
/**
 * @typedef {object} Foreseen
 * @property {Map<number, string>} ghosts what would stand in a cell of the text that is shown; empty where nothing would
 * @property {{from: number, to: number, words: Word[]} | null} between the text from the first cell that would be another to the last
 * @property {string[]} words those that would follow, in order; what goes on with the one before is part of it (not for a model of letters)
 * @property {Set<number>} thinks cells about which nothing is known yet
 */

/**
 * @param {Side} side
 * @param {number} at the moment that is shown
 * @param {Event} event `previewed`
 * @returns {Foreseen}
 */
export function foreseen(side, at, event) {
  const moment = side.moments[at];
  if (!moment) return { ghosts: new Map(), between: null, words: [], thinks: new Set() };
  const ends = /** @type {number[]} */ (side.head.ends ?? []);
  const { tokens, kinds, ids } = canvasOf(event.canvas);
  const places = new Map(Array.from(moment.ids, (id, cell) => [id, cell]));
  const stopped = textEnd(moment, ends);
  const before = moment.tokens.slice(0, stopped);
  /** @type {Set<number>} */
  const thinks = new Set();
  const after = tokens.map((token, cell) => {
    if (kinds[cell] !== OPEN) return token;
    const guess = event.guess[cell] ?? NOTHING;
    if (guess !== NOTHING) return guess;
    const place = places.get(ids[cell] ?? NOTHING) ?? NOTHING; // not known yet: the present word stays
    if (place >= 0 && place < stopped) thinks.add(place);
    return before[place] ?? ends[0] ?? NOTHING;
  });
  const stop = endOf(after, kinds, ends, textEnd({ ...moment, tokens: after, kinds }, ends));
  const text = after.subarray(0, stop);
  const silent = new Set(side.head.model?.skips ?? []); // they stand for no word
  const piece = (/** @type {number} */ token) =>
    silent.has(token) ? "" : (side.pieces.get(token) ?? event.pieces?.[token] ?? "");
  const same = aligned(before, text);
  const ghosts = ghostsOf(before, text, same, piece);
  /** @type {string[]} */
  const words = [];
  let last = NOTHING;
  same.forEach((place, cell) => {
    if (place >= 0 || kinds[cell] === PINNED || ends.includes(text[cell] ?? NOTHING)) return;
    const own = piece(text[cell] ?? NOTHING);
    if (!WORD.test(own)) return;
    if (last === cell - 1 && words.length && hasSpaces(side) && joins(own)) words[words.length - 1] += shownAs(own);
    else words.push(shownAs(own));
    last = cell;
  });
  return { ghosts, between: betweenEnds(before, text, same, piece), words, thinks };
}

/** A guess that the text ends counts where nothing is written behind it.
 * @param {Int32Array} tokens
 * @param {Uint8Array} kinds
 * @param {number[]} ends
 * @param {number} written where it ends by what is written
 */
function endOf(tokens, kinds, ends, written) {
  const last = kinds.subarray(0, written).findLastIndex((kind) => kind !== OPEN);
  const guessed = tokens.findIndex((token, cell) => cell > last && kinds[cell] === OPEN && ends.includes(token));
  return guessed < 0 ? written : Math.min(written, guessed + 1);
}

/**
 * The part of the text that is left once what is the same at both ends is taken off.
 * @param {Int32Array} before
 * @param {Int32Array} after
 * @param {number[]} same
 * @param {(token: number) => string} piece
 */
function betweenEnds(before, after, same, piece) {
  let from = 0;
  while (from < after.length && same[from] === from) from++;
  let [to, stop] = [before.length, after.length];
  while (to > from && stop > from && same[stop - 1] === to - 1) [to, stop] = [to - 1, stop - 1];
  if (from === to) return null; // nothing changes, or words are only added
  /** @type {Word[]} */
  const words = [];
  after.subarray(from, stop).forEach((token, number) => {
    const own = piece(token);
    const fresh = (same[from + number] ?? NOTHING) < 0;
    const last = words.at(-1);
    if (!own) return;
    if (last && joins(own)) words[words.length - 1] = { text: last.text + shownAs(own), fresh: last.fresh || fresh };
    else words.push({ text: ` ${shownAs(own)}`, fresh });
  });
  return { from, to, words };
}

/**
 * What is new goes to the places of what it replaces, as far as there are any; the rest goes with the last of them.
 * @param {Int32Array} before
 * @param {Int32Array} after
 * @param {number[]} same
 * @param {(token: number) => string} piece
 */
function ghostsOf(before, after, same, piece) {
  /** @type {Map<number, string>} */
  const ghosts = new Map();
  let from = 0; // in the text before
  let cell = 0;
  while (from < before.length || cell < after.length) {
    if (cell < after.length && same[cell] === from) {
      [from, cell] = [from + 1, cell + 1];
      continue;
    }
    const begins = cell;
    while (cell < after.length && (same[cell] ?? 0) < 0) cell++;
    const to = cell < after.length ? (same[cell] ?? before.length) : before.length;
    fill(ghosts, [from, to], after.subarray(begins, cell), before, piece);
    from = to;
  }
  return ghosts;
}

/**
 * @param {Map<number, string>} ghosts
 * @param {[number, number]} places that what is new replaces
 * @param {Int32Array} fresh
 * @param {Int32Array} before
 * @param {(token: number) => string} piece
 */
function fill(ghosts, [from, to], fresh, before, piece) {
  if (from === to && from > 0) {
    const stays = shownAs(piece(before[from - 1] ?? NOTHING)); // inserted: beside the word before it
    if (fresh.length) ghosts.set(from - 1, joined(ghosts.get(from - 1) ?? stays, fresh, piece));
    return;
  }
  for (let place = from; place < to; place++) {
    const own = place < to - 1 ? fresh.subarray(place - from, place - from + 1) : fresh.subarray(place - from);
    ghosts.set(place, joined("", own, piece));
  }
}

/**
 * @param {string} text
 * @param {Int32Array} tokens
 * @param {(token: number) => string} piece
 */
function joined(text, tokens, piece) {
  for (const own of Array.from(tokens, piece).filter(Boolean))
    text += `${text && !joins(own) ? " " : ""}${shownAs(own)}`;
  return text;
}
