/** What is known of one cell at one moment: candidates, certainty, its guesses pass by pass, and why it was written. Pure. */

import { pieceOf } from "../cells/face.js";
import { spoken } from "../looks/glyphs.js";
import { t } from "../looks/language.js";
import { GIVEN, NOTHING, OPEN, OWN, PINNED, unpacked } from "../wire/canvas.js";
import { lateFindings } from "./late_findings.js";
import { plainReason } from "./why.js";

/** @typedef {import("../wire/store.js").Side} Side */

/** @typedef {{token: number, piece: string, share: number}} Candidate */
/** @typedef {{at: number, token: number, piece: string, share: number}} Guess */

const TOP = 5;
const NEAREST = 4; // words named as what a guess may hang on
const LATE = 64; // moments that an answer may lie behind and still be shown, with its pass

/** The last pass at or before a moment; an edit thinks nothing of its own.
 * @param {Side} side
 * @param {number} at
 */
export function passBefore(side, at) {
  for (let m = at; m > 0; m--) if (side.moments[m]?.kind === "pass") return m;
  return 0;
}

/**
 * Candidates, entropy and margin: from the trace where it holds them, else from what the server answered; null if nobody has.
 * @param {Side} side
 * @param {number} at
 * @param {number} cell
 * @returns {{candidates: Candidate[], entropy: number, margin: number} | null}
 */
export function beliefAt(side, at, cell) {
  const pass = passBefore(side, at);
  const event = side.moments[pass]?.event;
  if (event?.ti) {
    const ids = unpacked(event.ti, side.width);
    const shares = unpacked(event.tp, 1);
    const candidates = [];
    for (let k = cell * TOP; k < (cell + 1) * TOP; k++) {
      const share = (shares[k] ?? 0) / 255;
      const token = ids[k] ?? NOTHING;
      if (share > 0 && token !== NOTHING) candidates.push({ token, piece: pieceOf(side, token), share });
    }
    if (side.moments[pass]?.guess[cell] === NOTHING) candidates.length = 0;
    const byte = (/** @type {string | undefined} */ row) => (row ? (unpacked(row, 1)[cell] ?? NaN) : NaN);
    return { candidates, entropy: byte(event.e) / 32, margin: byte(event.m) / 255 };
  }
  const answer = side.peeks.get(`${cell}:${at}`);
  if (!answer) return null;
  const candidates = (answer.candidates ?? []).map((/** @type {[number, string, number]} */ [token, piece, share]) => ({
    token,
    piece,
    share,
  }));
  return { candidates, entropy: answer.entropy ?? NaN, margin: answer.margin ?? NaN };
}

/** Where a cell stood at an earlier moment; -1 where it was not there.
 * @param {Side} side
 * @param {number} at
 * @param {number} cell
 * @param {number} then
 */
export function placeOf(side, at, cell, then) {
  return side.moments[then]?.ids.indexOf(side.moments[at]?.ids[cell] ?? NOTHING) ?? NOTHING;
}

/**
 * The likeliest word but for the one that stands in a cell, in the pass that wrote it; null where nobody knows.
 * @param {Side} side
 * @param {number} at
 * @param {number} cell
 * @returns {Candidate | null}
 */
export function otherChoice(side, at, cell) {
  const moment = side.moments[at];
  const since = moment?.since[cell] ?? 0;
  const place = placeOf(side, at, cell, since);
  const stands = pieceOf(side, moment?.tokens[cell] ?? NOTHING).trim(); // joined or not, it is the same word
  const rows = place < 0 ? [] : (beliefAt(side, since, place)?.candidates ?? []);
  return rows.find(({ piece, share }) => piece.trim() !== stands && share > 0) ?? null;
}

/**
 * The newest that is known of a cell up to a moment, and the moment it was known at: while a run goes on, answers are
 * always a little late.
 * @param {Side} side
 * @param {number} at
 * @param {number} cell
 */
export function lastBelief(side, at, cell) {
  const now = beliefAt(side, at, cell);
  if (now) return { at, ...now };
  const id = side.moments[at]?.ids[cell];
  for (let m = at - 1; m > 0 && m > at - LATE; m--) {
    if (!side.peeks.has(`${cell}:${m}`) || side.moments[m]?.ids[cell] !== id) continue;
    const before = beliefAt(side, m, cell);
    if (before) return { at: m, ...before };
  }
  return null;
}

/**
 * What the model would have written in this cell, pass by pass, up to a moment.
 * @param {Side} side
 * @param {number} at
 * @param {number} cell
 * @returns {Guess[]}
 */
export function guesses(side, at, cell) {
  const id = side.moments[at]?.ids[cell];
  /** @type {Guess[]} */
  const row = [];
  for (let m = 1; m <= at; m++) {
    const moment = side.moments[m];
    if (moment?.kind !== "pass") continue;
    const place = moment.ids[cell] === id ? cell : moment.ids.indexOf(id ?? NOTHING);
    const token = moment.guess[place] ?? NOTHING;
    if (place < 0 || token === NOTHING) continue;
    row.push({ at: m, token, piece: pieceOf(side, token), share: (moment.sure[place] ?? 0) / 255 });
  }
  return row;
}

/**
 * When the present guess came up, and what had been written just before: the nearest sign of what it depends on.
 * For a written word only the guesses up to its writing count.
 * @param {Side} side
 * @param {number} at
 * @param {number} cell
 */
export function turning(side, at, cell) {
  const moment = side.moments[at];
  const written = moment && moment.kinds[cell] !== OPEN ? (moment.since[cell] ?? 0) : 0;
  const row = guesses(side, at, cell).filter((guess) => !written || guess.at <= written);
  const last = row[row.length - 1];
  if (!last) return "";
  let i = row.length - 1;
  while (i > 0 && row[i - 1]?.token === last.token) i--;
  const word = `“${spoken(last.piece)}”`;
  const begun = row[i]?.at ?? 0;
  if (!i) return t("Its likeliest word has been {word} from the first look on.", { word });
  const id = moment?.ids[cell] ?? NOTHING;
  const before = side.moments[begun - 1];
  const place = before?.ids.indexOf(id) ?? NOTHING;
  const near = (before?.fresh ?? [])
    .filter((other) => other !== place)
    .sort((a, b) => Math.abs(a - place) - Math.abs(b - place))
    .slice(0, NEAREST)
    .sort((a, b) => a - b)
    .map((other) => `“${spoken(pieceOf(side, before?.tokens[other] ?? NOTHING))}”`);
  const look = side.moments[begun]?.passes ?? 0;
  return near.length
    ? t("Its likeliest word turned to {word} at look {look}, just after {words} was written.", {
        word,
        look,
        words: near.join(", "),
      })
    : t("Its likeliest word turned to {word} at look {look}.", { word, look });
}

/**
 * One sentence about how the cell came to hold what it holds.
 * @param {Side} side
 * @param {number} at
 * @param {number} cell
 */
export function because(side, at, cell) {
  const moment = side.moments[at];
  if (!moment) return "";
  const kind = moment.kinds[cell];
  if (kind === GIVEN) return t("Part of the prompt.");
  if (kind === OWN) return t("Part of your own text: Erase opens it for the model.");
  const since = moment.since[cell] ?? 0;
  if (kind === PINNED) return t("Pinned by you after look {look}.", { look: side.moments[since]?.passes ?? 0 });
  if (kind === OPEN) {
    if (moment.erased[cell]) return t("Erased by you; open again.");
    return moment.changes[cell] ? t("Open again: the model took back what it had written.") : t("Still open.");
  }
  const event = side.moments[since]?.event;
  const pass = side.moments[since]?.passes ?? 0;
  const why = reason(event?.why ?? [], cell);
  const i = (event?.w ?? []).indexOf(cell);
  const was = event?.was?.[i] ?? NOTHING;
  const found = lateFindings(side)?.findingIn(side, at, cell);
  const after = found ? ` ${found}` : "";
  const values = { look: pass, was: was === NOTHING ? "" : `“${spoken(pieceOf(side, was))}”`, why };
  if (values.was)
    return why
      ? t("Written by the model at look {look} in place of {was}: {why}.", values) + after
      : t("Written by the model at look {look} in place of {was}.", values) + after;
  return why
    ? t("Written by the model at look {look}: {why}.", values) + after
    : t("Written by the model at look {look}.", values) + after;
}

/**
 * @param {[string, number[], number[]][]} why
 * @param {number} cell
 */
function reason(why, cell) {
  for (const [words, cells, numbers] of why) {
    const i = cells.indexOf(cell);
    if (i >= 0) return plainReason(words, numbers, i);
  }
  return "";
}
