/** What the stage says between two lines on a first visit, and the word it invites to change. Pure. */

import { NOTHING, WRITTEN } from "../wire/canvas.js";
import { textEnd } from "../wire/timeline.js";
import { beliefAt, placeOf } from "./belief.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {"guesses" | "keeps" | "again" | "change" | "changed" | ""} Caption */

/** The first looks of a first visit, in ms; and how long the empty canvas is seen before. */
export const FIRST_LOOKS = [2400, 3000, 1200];
export const EMPTY_FOR = 900;
export const ALONE = 0.52; // of the second look, in which the words that were kept are shown before the next guesses come

/**
 * @param {object} now
 * @param {boolean} now.first a first visit, whose run plays
 * @param {number} now.at the moment that Diffusion shows
 * @param {boolean} now.ahead the guesses of the next look are seen
 * @param {boolean} now.over
 * @param {boolean} now.invited the invitation was not taken or put away
 * @param {boolean} now.changed a person went back and changed something
 * @returns {Caption}
 */
export function captionOf({ first, at, ahead, over, invited, changed }) {
  if (changed) return over ? "changed" : "";
  if (over) return invited ? "change" : "";
  if (!first) return "";
  if (at === 0) return ahead ? "guesses" : "";
  if (at === 1) return ahead ? "again" : "keeps";
  return at === 2 ? "again" : "";
}

/**
 * The word whose change is most likely to be followed by others: one that comes again, else one that was nearly another.
 * @param {Side} side
 * @param {number} at
 */
export function invitedCell(side, at) {
  const moment = side.moments[at];
  if (!moment) return NOTHING;
  const stop = textEnd(moment, side.head.ends ?? []);
  let best = NOTHING;
  let most = 0;
  for (let cell = 0; cell < stop; cell++) {
    const token = moment.tokens[cell] ?? NOTHING;
    const piece = side.pieces.get(token) ?? "";
    if (moment.kinds[cell] !== WRITTEN || !/^ ?\p{Ll}{3,}$/u.test(piece)) continue;
    let again = 0;
    for (let other = cell + 1; other < stop; other++)
      if (moment.tokens[other] === token && moment.kinds[other] === WRITTEN) again++;
    const before = moment.tokens.slice(0, cell).includes(token);
    const since = moment.since[cell] ?? 0;
    const place = placeOf(side, at, cell, since);
    const candidates = place < 0 ? [] : (beliefAt(side, since, place)?.candidates ?? []);
    const other = candidates.find((one) => one.token !== token)?.share ?? 0;
    const score = other + (again && !before && again < 3 ? 0.5 : 0) - (COMMON.test(piece) ? 1 : 0);
    if (score > most) [best, most] = [cell, score];
  }
  return best;
}

const COMMON =
  /^ ?(the|and|all|about|some|one|when|what|who|how|very|just|now|too|did|got|could|would|was|had|his|her|him|she|they|them|that|this|with|for|but|not|you|said|then|there|were|are|into|from)$/;
