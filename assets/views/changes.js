/** What a person changed in a run: each change with its words, the text before the first of them, and what followed. Pure. */

import { joins } from "../looks/glyphs.js";
import { GIVEN, NOTHING, OPEN, OWN, PINNED } from "../wire/canvas.js";
import { textEnd } from "../wire/timeline.js";
import { aligned } from "./alignment.js";
import { placeOf } from "./belief.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("../wire/timeline.js").Moment} Moment */
/**
 * @typedef {object} Change
 * @property {number} at the moment that it led to
 * @property {Record<string, any>} edit
 * @property {number[]} cells where the words are that it set
 */

/** Whether a moment is an edit that a person made.
 * @param {Moment | undefined} moment
 */
function byPerson(moment) {
  return moment?.kind === "edit" && !moment.event?.edit?.own;
}

/** What a person changed up to a moment and did not change again, in the order in which it was made.
 * @param {Side} side
 * @param {number} [at]
 * @returns {Change[]}
 */
export function changesOf({ moments }, at = moments.length - 1) {
  const now = moments[at];
  if (!now) return [];
  return moments.slice(0, at + 1).flatMap((moment, made) => {
    const edit = byPerson(moment) ? moment.event?.edit : null;
    if (!edit || edit.do === "release") return [];
    const cells = [...now.kinds.keys()].filter((cell) => now.kinds[cell] === PINNED && now.since[cell] === made);
    const over =
      edit.do === "pin" ? !cells.length : edit.do === "erase" && setSince(now, moments[made - 1], edit.cells);
    return over ? [] : [{ at: made, edit, cells }];
  });
}

/** Whether a person has set words in all of the cells that they erased.
 * @param {Moment} now
 * @param {Moment | undefined} before
 * @param {number[]} erased
 */
function setSince(now, before, erased) {
  return erased.every((cell) => now.kinds[now.ids.indexOf(before?.ids[cell] ?? NOTHING)] === PINNED);
}

/** The change that set the word in a cell.
 * @param {Side} side
 * @param {number} at
 * @param {number} cell
 */
export function changeIn(side, at, cell) {
  return changesOf(side, at).find(({ cells }) => cells.includes(cell)) ?? null;
}

/** The branch that the first change left, and its text: what was written before a person changed anything. Null where
 * they did not go back, and where that text is not finished.
 * @param {Side} side
 * @returns {{name: string, moment: Moment, left: number} | null} `left`: the last moment that both share
 */
export function textBefore({ moments, branches }) {
  const left = moments.findIndex(byPerson) - 1;
  if (left < 0) return null;
  for (const [name, other] of branches) {
    const moment = other[other.length - 1];
    const shares = other.length > left + 1 && other[left] === moments[left];
    if (shares && moment?.open === 0 && !other.some(byPerson)) return { name, moment, left };
  }
  return null;
}

/** The cells whose words came out differently, besides those that a person set.
 * @param {Moment} before
 * @param {Moment} after
 * @param {number[]} ends
 * @returns {number[]} cells of what stands now
 */
export function followedBy(before, after, ends) {
  const now = after.tokens.subarray(0, textEnd(after, ends));
  const places = aligned(before.tokens.subarray(0, textEnd(before, ends)), now);
  return places.flatMap((place, cell) => {
    const kind = after.kinds[cell];
    const fixed = kind === OPEN || kind === GIVEN || kind === OWN || kind === PINNED;
    return place >= 0 || fixed || ends.includes(now[cell] ?? NOTHING) ? [] : [cell];
  });
}

export const WORD = /[\p{L}\p{N}]/u; // another comma is no word that followed

/** @type {WeakMap<Moment, {before: Moment, cells: number[]}>} */
const found = new WeakMap();

/** The cells of the newest moment whose words followed from what a person changed.
 * @param {Side} side
 * @returns {number[]}
 */
export function followed(side) {
  const before = textBefore(side)?.moment;
  const after = side.moments[side.moments.length - 1];
  if (!before || !after) return [];
  const known = found.get(after);
  if (known?.before === before) return known.cells;
  const piece = (/** @type {number} */ cell) => side.pieces.get(after.tokens[cell] ?? NOTHING) ?? "";
  const cells = followedBy(before, after, side.head.ends ?? []).filter((cell) => WORD.test(piece(cell)));
  found.set(after, { before, cells });
  return cells;
}

/** Where the newest change shows: a word that followed from it, else the word that was set.
 * @param {Side} side
 * @returns {{cell: number, followed: boolean, words: number}} `words` that followed from all changes
 */
export function newestChange(side) {
  const after = /** @type {Moment} */ (side.moments[side.moments.length - 1]);
  const cells = followed(side);
  const left = [...side.branches.values()].at(-1)?.at(-1); // the text before this change
  const fresh = left?.open === 0 ? followedBy(left, after, side.head.ends ?? []) : cells;
  const cell = cells.find((one) => fresh.includes(one));
  const own = changesOf(side).findLast((one) => one.cells.length)?.cells[0];
  return { cell: cell ?? own ?? NOTHING, followed: cell !== undefined, words: wordsIn(side, after, cells) };
}

/** The ids of the cells whose words differ from the branch that this one is compared with.
 * @param {Record<string, any> | null} comparison
 * @returns {Set<number>}
 */
export function differing(comparison) {
  const changed = (comparison?.changed ?? []).map((/** @type {[number, number]} */ [id]) => id);
  return new Set([...changed, ...(comparison?.only_two ?? [])]);
}

/** The cell of another text that is in the place of a word of the newest moment; nothing where that has none.
 * @param {Side} side
 * @param {Moment | undefined} other
 * @param {number} cell
 */
export function cellInstead({ moments, head }, other, cell) {
  const now = moments[moments.length - 1];
  if (!now || !other) return NOTHING;
  const [first, second] = [other, now].map((one) => one.tokens.subarray(0, textEnd(one, head.ends ?? [])));
  const places = aligned(first ?? [], second ?? []);
  let same = cell;
  while (same >= 0 && (places[same] ?? NOTHING) < 0) same--;
  const place = same < 0 ? cell : (places[same] ?? 0) + cell - same;
  return places.includes(place) || place >= (first?.length ?? 0) ? NOTHING : place;
}

/** The text before a person changed anything, as a side of its own, and the cell in it where a change set a word.
 * @param {Side} side
 * @param {Change | null} change
 * @returns {{side: Side, at: number, cell: number} | null}
 */
export function wordBefore(side, change) {
  const before = textBefore(side);
  const cell = before ? cellInstead(side, before.moment, change?.cells[0] ?? NOTHING) : NOTHING;
  if (!before || cell === NOTHING) return null;
  const moments = /** @type {Moment[]} */ (side.branches.get(before.name));
  const peeks = side.peeksOf.get(before.name) ?? new Map();
  const first = { ...side, of: side.session, branch: before.name, moments, peeks };
  return { side: first, at: moments.length - 1, cell };
}

/** Whether words have a space before them: where they have none, as in proteins, each token is a word.
 * @param {Side} side
 */
export function hasSpaces({ head }) {
  return head.model?.spaced !== false;
}

/** How many words some cells hold: cells that go on with the one before are one word, but for a model of letters.
 * @param {Side} side
 * @param {Moment} moment
 * @param {number[]} cells in order
 */
export function wordsIn(side, moment, cells) {
  const goesOn = (/** @type {number} */ cell) =>
    hasSpaces(side) && joins(side.pieces.get(moment.tokens[cell] ?? NOTHING) ?? "");
  return cells.filter((cell, i) => !(i && cells[i - 1] === cell - 1 && goesOn(cell))).length;
}

/** The first cell of the word that a person set in a cell: it is changed whole.
 * @param {Side} side
 * @param {number} at
 * @param {number} cell
 */
export function wordStart(side, at, cell) {
  return changeIn(side, at, cell)?.cells[0] ?? cell;
}

const GOES_ON = /^(?=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\d'’])/u; // not in scripts without spaces

/** The cells of the word that a cell belongs to.
 * @param {Side} side
 * @param {number} at
 * @param {number} cell
 */
export function wordCells(side, at, cell) {
  const moment = /** @type {Moment} */ (side.moments[at]);
  const own = changeIn(side, at, cell);
  if (own) return own.cells;
  if (!hasSpaces(side)) return [cell];
  const goesOn = (/** @type {number} */ one) =>
    moment.kinds[one] !== OPEN && moment.kinds[one] !== PINNED && GOES_ON.test(side.pieces.get(moment.tokens[one] ?? NOTHING) ?? ""); // prettier-ignore
  let [first, last] = [cell, cell];
  while (first > 0 && goesOn(first) && moment.kinds[first - 1] !== GIVEN) first--;
  while (last + 1 < moment.tokens.length && goesOn(last + 1)) last++;
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/**
 * The message that sets another word where one is written: the run goes back to before it was, keeps what a person
 * changed after that, and goes on from there. In an open cell the word is set at the moment that is shown.
 * @param {Side} side
 * @param {number} at the moment that is shown
 * @param {number} cell
 * @param {{token: number} | {text: string}} word
 * @returns {{do: "pin", at?: number, text?: string, over?: number, cells?: number[], tokens?: number[], at_moment?: number, keep?: true}}
 */
export function changeRequest(side, at, cell, word) {
  const moment = /** @type {Moment} */ (side.moments[at]);
  const cells = "text" in word ? wordCells(side, at, cell) : [wordStart(side, at, cell)];
  const before = Math.max(0, (moment.since[cells[0] ?? cell] ?? 0) - 1);
  const open = moment.kinds[cell] === OPEN;
  const places = cells.map((one) => placeOf(side, at, one, before)).filter((place) => place >= 0);
  const place = places[0] ?? NOTHING;
  if (open || place < 0)
    return { do: "pin", ...("text" in word ? { at: cell, text: word.text } : { cells: [cell], tokens: [word.token] }), ...moved(side, at) }; // prettier-ignore
  const set = "text" in word ? { at: place, text: word.text, over: places.length } : { cells: [place], tokens: [word.token] }; // prettier-ignore
  return { do: "pin", ...set, ...moved(side, before) };
}

/** Where an edit is made that is not made at the newest moment.
 * @param {Side} side
 * @param {number} when
 * @returns {{at_moment?: number, keep?: true}}
 */
function moved({ moments }, when) {
  return when < moments.length - 1 ? { at_moment: when, keep: true } : {};
}
