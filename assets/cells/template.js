/** Which cells of a prompt are the chat template's, and not what was said; how these look. Pure. */

import { t } from "../looks/language.js";
import { GIVEN } from "../wire/canvas.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("./face.js").Face} Face */
/** @typedef {{hidden: Set<number>, breaks: Set<number>, earlier: Set<number>, from: number}} Template `breaks`: the last
 * of the template's cells between two turns, `earlier`: what a model answered before, `from`: the first cell of the answer */

/** @type {WeakMap<object, Template>} */
const known = new WeakMap();

/** The template's cells; null where the prompt has none, or it is not known which they are.
 * @param {Side} side
 * @returns {Template | null}
 */
export function templateOf({ head, moments }) {
  const { turns } = head;
  const kinds = moments[0]?.kinds;
  if (!turns?.length || !kinds) return null;
  const made = known.get(head) ?? cellsOf(turns, kinds);
  known.set(head, made);
  return made;
}

/**
 * @param {number[][]} turns
 * @param {ArrayLike<number>} kinds
 * @returns {Template}
 */
function cellsOf(turns, kinds) {
  const answer = Array.from(kinds).findIndex((kind) => kind !== GIVEN);
  const from = answer < 0 ? kinds.length : answer;
  /** @type {Template} */
  const found = { hidden: new Set(), breaks: new Set(), earlier: new Set(), from };
  let at = 0;
  for (const [turn, [begin = 0, end = 0]] of [...turns, [from, from]].entries()) {
    for (let cell = at; cell < begin; cell++) found.hidden.add(cell);
    if (turn && begin > at) found.breaks.add(begin - 1);
    if (turn % 2 && turn < turns.length) for (let cell = begin; cell < end; cell++) found.earlier.add(cell);
    at = end;
  }
  return found;
}

const TURN = 1.4; // lines from one turn of a talk to the next

/** A cell of a talk: the model reads the template's words, and a person need not. Each turn has a line of its own.
 * @param {Side} side
 * @param {number} cell
 * @param {Face} face
 * @returns {Face}
 */
export function faceInTalk(side, cell, face) {
  const template = face.look.includes(" given") ? templateOf(side) : null;
  if (template?.breaks.has(cell)) return turnBreak(face.look, cell);
  if (template?.hidden.has(cell)) return { ...face, silent: true };
  return template?.earlier.has(cell) ? { ...face, look: `${face.look} earlier` } : face;
}

/** Where the chat template stands between two turns, the next begins on a line of its own.
 * @param {string} look
 * @param {number} cell
 * @returns {Face}
 */
function turnBreak(look, cell) {
  const nothing = { text: "", ink: "", sure: "", share: 0, ticks: "", open: false, ended: false, silent: false };
  return { ...nothing, look: `${look} turn`, label: `${cell}: ${t("a new turn")}`, joined: true, breaks: TURN };
}
