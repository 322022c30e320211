/** What is known of one cell at one moment: candidates, certainty, its guesses pass by pass, and why it was written. Pure. */

import { pieceOf } from "./painter.js";
import { spoken } from "./glyphs.js";
import { GIVEN, NOTHING, OPEN, PINNED, unpacked } from "./wire.js";

/** @typedef {import("./store.js").Lane} Lane */

/** @typedef {{token: number, piece: string, share: number}} Candidate */
/** @typedef {{at: number, token: number, piece: string, share: number}} Guess */

const TOP = 5;
const NEAREST = 4; // words named as what a guess may hang on
const LATE = 64; // moments that an answer may lie behind and still be shown, with its pass

/** The last pass at or before a moment; an edit thinks nothing of its own.
 * @param {Lane} lane
 * @param {number} at
 */
export function passBefore(lane, at) {
  for (let m = at; m > 0; m--) if (lane.moments[m]?.kind === "pass") return m;
  return 0;
}

/**
 * Candidates, entropy and margin: from the trace where it holds them, else from what the server answered; null if nobody has.
 * @param {Lane} lane
 * @param {number} at
 * @param {number} cell
 * @returns {{candidates: Candidate[], entropy: number, margin: number} | null}
 */
export function beliefAt(lane, at, cell) {
  const pass = passBefore(lane, at);
  const event = lane.moments[pass]?.event;
  if (event?.ti) {
    const ids = unpacked(event.ti, lane.width);
    const shares = unpacked(event.tp, 1);
    const candidates = [];
    for (let k = cell * TOP; k < (cell + 1) * TOP; k++) {
      const share = (shares[k] ?? 0) / 255;
      const token = ids[k] ?? NOTHING;
      if (share > 0 && token !== NOTHING) candidates.push({ token, piece: pieceOf(lane, token), share });
    }
    if (lane.moments[pass]?.guess[cell] === NOTHING) candidates.length = 0;
    const entropy = (unpacked(event.e, 1)[cell] ?? 0) / 32;
    return { candidates, entropy, margin: (unpacked(event.m, 1)[cell] ?? 0) / 255 };
  }
  const told = lane.peeks.get(`${cell}:${at}`);
  if (!told) return null;
  const candidates = (told.candidates ?? []).map((/** @type {[number, string, number]} */ [token, piece, share]) => ({
    token,
    piece,
    share,
  }));
  return { candidates, entropy: told.entropy ?? NaN, margin: told.margin ?? NaN };
}

/**
 * The newest that is known of a cell up to a moment, and the moment it was known at: while a run goes on, answers are
 * always a little late.
 * @param {Lane} lane
 * @param {number} at
 * @param {number} cell
 */
export function lastBelief(lane, at, cell) {
  const now = beliefAt(lane, at, cell);
  if (now) return { at, ...now };
  const id = lane.moments[at]?.ids[cell];
  for (let m = at - 1; m > 0 && m > at - LATE; m--) {
    if (!lane.peeks.has(`${cell}:${m}`) || lane.moments[m]?.ids[cell] !== id) continue;
    const before = beliefAt(lane, m, cell);
    if (before) return { at: m, ...before };
  }
  return null;
}

/**
 * What the model would have said in this cell, pass by pass, up to a moment.
 * @param {Lane} lane
 * @param {number} at
 * @param {number} cell
 * @returns {Guess[]}
 */
export function guesses(lane, at, cell) {
  const id = lane.moments[at]?.ids[cell];
  /** @type {Guess[]} */
  const row = [];
  for (let m = 1; m <= at; m++) {
    const moment = lane.moments[m];
    if (moment?.kind !== "pass") continue;
    const place = moment.ids[cell] === id ? cell : moment.ids.indexOf(id ?? NOTHING);
    const token = moment.guess[place] ?? NOTHING;
    if (place < 0 || token === NOTHING) continue;
    row.push({ at: m, token, piece: pieceOf(lane, token), share: (moment.sure[place] ?? 0) / 255 });
  }
  return row;
}

/**
 * When the present guess came up, and what had been written just before: the nearest sign of what it depends on.
 * @param {Lane} lane
 * @param {number} at
 * @param {number} cell
 */
export function turning(lane, at, cell) {
  const row = guesses(lane, at, cell);
  const last = row[row.length - 1];
  if (!last) return "";
  let i = row.length - 1;
  while (i > 0 && row[i - 1]?.token === last.token) i--;
  const word = `“${spoken(last.piece)}”`;
  const begun = row[i]?.at ?? 0;
  if (!i) return `Its likeliest word has been ${word} from the first pass on.`;
  const id = lane.moments[at]?.ids[cell] ?? NOTHING;
  const before = lane.moments[begun - 1];
  const place = before?.ids.indexOf(id) ?? NOTHING;
  const near = (before?.fresh ?? [])
    .filter((other) => other !== place)
    .sort((a, b) => Math.abs(a - place) - Math.abs(b - place))
    .slice(0, NEAREST)
    .sort((a, b) => a - b)
    .map((other) => `“${spoken(pieceOf(lane, before?.tokens[other] ?? NOTHING))}”`);
  const after = near.length ? `, just after ${near.join(", ")} came to stand` : "";
  return `Its likeliest word turned to ${word} at pass ${lane.moments[begun]?.passes ?? 0}${after}.`;
}

/**
 * One sentence about how the cell came to hold what it holds.
 * @param {Lane} lane
 * @param {number} at
 * @param {number} cell
 */
export function because(lane, at, cell) {
  const moment = lane.moments[at];
  if (!moment) return "";
  const kind = moment.kinds[cell];
  if (kind === GIVEN) return "Part of the prompt.";
  const since = moment.since[cell] ?? 0;
  if (kind === PINNED) return `Pinned by you at moment ${since}.`;
  if (kind === OPEN) {
    if (moment.erased[cell]) return "Erased by you; open again.";
    return moment.changes[cell] ? "Open again: the model took back what it had written." : "Still open.";
  }
  const event = lane.moments[since]?.event;
  const pass = lane.moments[since]?.passes ?? 0;
  const why = reason(event?.why ?? [], cell);
  const i = (event?.w ?? []).indexOf(cell);
  const was = event?.was?.[i] ?? NOTHING;
  const instead = was !== NOTHING ? ` in place of “${spoken(pieceOf(lane, was))}”` : "";
  return `Written at pass ${pass}${instead}${why ? `: ${why}` : ""}.`;
}

/**
 * @param {[string, number[], number[]][]} why
 * @param {number} cell
 */
function reason(why, cell) {
  for (const [words, cells, numbers] of why) {
    const i = cells.indexOf(cell);
    if (i < 0) continue;
    const number = numbers[i];
    return words.replace("{}", number === undefined ? "" : String(Math.round(number * 1000) / 1000));
  }
  return "";
}
