/** What a class shares, as values: its code, the presenter's moment, a run from its history. Pure. */

import { WORLDS } from "../../assets/wire/schedule_game.js";
import { t } from "../../assets/looks/language.js";
import { percent } from "../../assets/cells/face.js";
import { emptySide, reduce } from "../../assets/wire/store.js";

/** @typedef {import("../../assets/wire/store.js").Side} Side */
/** @typedef {import("../../assets/wire/canvas.js").Event} Event */
/** @typedef {{axis: "clock" | "pass", place: number, playing: boolean, following: boolean, speed: number}} View */
/** @typedef {{kind: "cell" | "word", session: string, at: number, answers: number, cell?: number}} Question */
/** @typedef {Question & {tally: [string, number][], right: string[], correct: number}} Revealed */
/** @typedef {{kind: "schedule", session: "", at: number, answers: number, world: string, cells: number, passes: number}} Game */
/** @typedef {Game & {first: number | null, best: number | null, once: number}} Over a game that is over */

/** As it is read aloud and typed.
 * @param {string} code
 */
export function spelledCode(code) {
  return code.length > 4 ? `${code.slice(0, 4)}-${code.slice(4)}` : code;
}

/**
 * @param {import("../../assets/clock/playhead.js").Playhead} head
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

/** The names of what a class sees, as one text: another one means other runs.
 * @param {Event | null} state
 */
export function shownBy(state) {
  return JSON.stringify([state?.sides ?? [], state?.recordings ?? []]);
}

/** @param {number} people */
export function peopleSentence(people) {
  return people === 0 ? t("Nobody has come yet.") : people === 1 ? t("One follows.") : t("{n} follow.", { n: people });
}

/** A question, for those who answer it.
 * @param {Question | Game} question
 */
export function questionSentence(question) {
  switch (question.kind) {
    case "cell":
      return t("Which cell is written next? Click it.");
    case "word":
      return t("Which word will stand in cell {cell}?", { cell: question.cell ?? 0 });
    default:
      return t(
        "Beat the schedule: {title}, in {passes} looks. Each number is the look that writes the cell; click to change it. Cells of one look do not know of each other.",
        { title: t(WORLDS[question.world]?.title ?? ""), passes: question.passes },
      );
  }
}

/** What came of a question.
 * @param {Revealed} revealed
 * @param {(cell: number) => string} shown what stands in a cell
 */
export function revealedSentence({ kind, answers, right, correct, tally }, shown) {
  const given = answers === 1 ? t("One answer") : t("{n} answers", { n: answers });
  if (!right.length) return `${given}. ${best(kind, tally)}`;
  const many =
    right.length > 4 ? t("{n} cells", { n: right.length }) : right.map((one) => `“${shown(Number(one))}”`).join(", ");
  const was =
    kind === "cell" ? t("Written: {words}.", { words: many }) : t("It is “{word}”.", { word: right[0] ?? "" });
  return `${given}, ${t("{n} right.", { n: correct })} ${was}`;
}

/** @param {"cell" | "word"} kind @param {[string, number][]} tally */
function best(kind, tally) {
  const [first] = tally;
  if (!first) return "";
  return kind === "cell"
    ? t("Most chose cell {cell}.", { cell: first[0] })
    : t("Most wrote “{word}”.", { word: first[0] });
}

/** What came of a game, for one who played it or looked on.
 * @param {Over} over
 * @param {{share: number, place: number} | null} mine
 */
export function overSentence({ answers, first, best: most }, mine) {
  const own = mine
    ? t("Your schedule ends right in {share}: place {place} of {answers}.", {
        share: percent(mine.share),
        place: mine.place,
        answers,
      })
    : "";
  const top = first === null ? "" : t("The best of the class: {share}.", { share: percent(first) });
  const ceiling = most === null ? "" : t("No schedule reaches more than {share}.", { share: percent(most) });
  return [own, mine?.place === 1 ? "" : top, ceiling].filter(Boolean).join(" ");
}

/** The same for the one who presents.
 * @param {Over} over
 */
export function standSentence({ answers, best: most, once }) {
  const ceiling = most === null ? "" : t("No schedule reaches more than {share}.", { share: percent(most) });
  return [
    answers === 1 ? t("One schedule.") : t("{n} schedules.", { n: answers }),
    t("Everything in one look: {share}.", { share: percent(once) }),
    ceiling,
  ]
    .filter(Boolean)
    .join(" ");
}
