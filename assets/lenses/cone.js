/** What an edit has caused: threads from it to the cells that changed, and whether it made the word in a cell. Pure. */

import { pieceOf } from "../cells/face.js";
import { spoken } from "../looks/glyphs.js";
import { t } from "../looks/language.js";
import { NOTHING, WRITTEN } from "../wire/canvas.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("./threads.js").Thread} Thread */

/**
 * The cells that the edits of this branch touched, by lasting name.
 * @param {Side} side
 * @returns {number[]}
 */
function touched(side) {
  const { comparison } = side;
  const edits = comparison?.edits?.[comparison.two === side.branch ? 1 : 0] ?? [];
  return edits.flatMap((/** @type {Record<string, any>} */ edit) => {
    const before = side.moments[edit.at - 1];
    const cells = edit.cells ?? (edit.do === "stretch" ? [edit.at] : []);
    return cells.map((/** @type {number} */ cell) => before?.ids[cell] ?? NOTHING);
  });
}

const FEW = 5; // threads of an edited cell: dozens would cover the text

/**
 * Threads from the edited cell to those that came out otherwise because of it, as far as they touch the cell under the
 * pointer; the later, the thinner.
 * @param {Side} side
 * @param {number} at
 * @param {number} pointed
 * @returns {Thread[]}
 */
export function coneThreads(side, at, pointed) {
  const ids = side.moments[at]?.ids;
  if (!side.comparison || !ids || pointed === NOTHING) return [];
  const place = new Map(Array.from(ids, (id, cell) => [id, cell]));
  const edited = touched(side);
  const [from = NOTHING] = edited.map((id) => place.get(id) ?? NOTHING).filter((cell) => cell !== NOTHING);
  if (from === NOTHING) return [];
  /** @type {[number, number][]} */
  const changed = side.comparison.changed ?? [];
  const last = Math.max(1, ...changed.map(([, since]) => since));
  const threads = changed.flatMap(([id, since]) => {
    const to = place.get(id);
    if (to === undefined || edited.includes(id) || (pointed !== from && pointed !== to)) return [];
    return [{ from, to, weight: 0.55 * (1 - since / (last + 1)), kind: /** @type {const} */ ("edit"), arrow: true }];
  });
  return threads.sort((a, b) => b.weight - a.weight).slice(0, FEW);
}

/**
 * Whether an edit made the word in a cell, where two branches are compared; empty where nothing is known.
 * @param {Side} side
 * @param {number} at
 * @param {number} cell
 */
export function causeOf(side, at, cell) {
  const moment = side.moments[at];
  const { comparison } = side;
  if (!comparison || moment?.kinds[cell] !== WRITTEN) return "";
  const other = comparison.two === side.branch ? comparison.one : comparison.two;
  const id = moment.ids[cell] ?? NOTHING;
  const found = (comparison.changed ?? []).some((/** @type {[number, number]} */ [name]) => name === id);
  if (!found) return t("Branch {name} has the same word here, so your edit did not cause it.", { name: other });
  const before = side.branches.get(other);
  const last = before?.[before.length - 1];
  const token = last?.tokens[last.ids.indexOf(id)] ?? NOTHING;
  const caused = t(
    "Your edit caused it: branch {name}, with the same seed and without the edit, has another word here.",
    { name: other },
  );
  if (token === NOTHING) return caused;
  return `${caused} ${t("There stands “{word}”.", { word: spoken(pieceOf(side, token)) })}`;
}
