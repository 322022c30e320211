/** What a class shares, as values: its code, the presenter's moment, a run from its history. Pure. */

import { emptySide, reduce } from "../wire/store.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("../wire/canvas.js").Event} Event */
/** @typedef {{axis: "clock" | "pass", place: number, playing: boolean, following: boolean, speed: number}} View */
/** @typedef {{kind: "cell" | "word", session: string, at: number, answers: number, cell?: number}} Question */
/** @typedef {Question & {tally: [string, number][], right: string[], correct: number}} Revealed */

/** The code in an address, or "".
 * @param {string} hash
 */
export function codeIn(hash) {
  return /[#&]class=([\w-]{6,12})(?=&|$)/.exec(hash)?.[1]?.toUpperCase().replaceAll("-", "") ?? "";
}

/** As it is read aloud and typed.
 * @param {string} code
 */
export function spelledCode(code) {
  return code.length > 4 ? `${code.slice(0, 4)}-${code.slice(4)}` : code;
}

/**
 * @param {import("../stage/playhead.js").Playhead} head
 * @param {number} speed
 * @returns {View}
 */
export function viewOf({ axis, at, playing, following }, speed) {
  return { axis, place: following ? 0 : Math.max(0, Math.round(at * 1000) / 1000), playing, following, speed };
}

/**
 * Whether two moments look the same: while something plays, where it stands follows from when it began.
 * @param {View | null} one
 * @param {View} two
 */
export function sameView(one, two) {
  if (!one) return false;
  const moves = one.playing && two.playing;
  return (
    (moves || one.place === two.place) &&
    one.axis === two.axis &&
    one.playing === two.playing &&
    one.following === two.following &&
    one.speed === two.speed
  );
}

/**
 * A run as its history tells it.
 * @param {Event} event
 * @returns {Side}
 */
export function sideOf(event) {
  const { session = "", pieces, n = 0 } = event;
  const stage = /** @type {Event[]} */ (event.events).reduce(
    (now, row, i) => reduce(now, { ...row, session, side: 0, ...(i ? {} : { pieces }) }),
    { sides: [emptySide()] },
  );
  return { .../** @type {Side} */ (stage.sides[0]), source: "live", keys: {}, n };
}

/** @param {number} people */
export function peopleSentence(people) {
  return people === 0 ? "Nobody has come yet." : people === 1 ? "One follows." : `${people} follow.`;
}

/** What is asked, for those who answer.
 * @param {Question} question
 */
export function questionSentence({ kind, cell = 0 }) {
  return kind === "cell" ? "Which cell is written next? Click it." : `Which word will stand in cell ${cell}?`;
}

/** What came of a question.
 * @param {Revealed} revealed
 * @param {(cell: number) => string} shown what stands in a cell
 */
export function revealedSentence({ kind, answers, right, correct, tally }, shown) {
  const given = answers === 1 ? "One answer" : `${answers} answers`;
  if (!right.length) return `${given}. ${best(kind, tally)}`;
  const many = right.length > 4 ? `${right.length} cells` : right.map((one) => `“${shown(Number(one))}”`).join(", ");
  const was = kind === "cell" ? `Written: ${many}` : `It is “${right[0]}”`;
  return `${given}, ${correct} right. ${was}.`;
}

/** @param {"cell" | "word"} kind @param {[string, number][]} tally */
function best(kind, tally) {
  const [first] = tally;
  return first ? `Most said ${kind === "cell" ? `cell ${first[0]}` : `“${first[0]}”`}.` : "";
}
