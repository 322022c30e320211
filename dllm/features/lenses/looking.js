/** Where a head of the network looks when it predicts a cell: words with their shares, and a shade for each cell. Pure. */

import { percent, pieceOf } from "../../assets/cells/face.js";
import { spoken } from "../../assets/looks/glyphs.js";
import { t } from "../../assets/looks/language.js";
import { NOTHING, OPEN } from "../../assets/wire/canvas.js";

/** @typedef {import("../../assets/wire/store.js").Side} Side */
/** @typedef {{cell: number, word: string, share: number}} Seen */

export const SHOWN = 8;
const LEAST = 0.005; // a smaller share is none
const CLEAR = 0.05; // what goes to tokens that are no words is worth saying from here on

/**
 * The cells that the head looks at most, the first one most.
 * @param {Side} side
 * @param {number} at
 * @param {Record<string, any>} answer to `attention`
 * @returns {Seen[]}
 */
export function seenCells(side, at, { weights = [] }) {
  const moment = side.moments[at];
  return weights
    .map((/** @type {number} */ share, /** @type {number} */ cell) => ({
      cell,
      word: nameOf(side, moment, cell),
      share,
    }))
    .filter((/** @type {Seen} */ { share }) => share >= LEAST)
    .sort((/** @type {Seen} */ a, /** @type {Seen} */ b) => b.share - a.share)
    .slice(0, SHOWN);
}

/** How dark each cell's ground is, from 0 to 1: the one that is looked at most is 1.
 * @param {number[]} weights
 */
export function shades(weights) {
  const most = Math.max(...weights, 1e-9);
  return weights.map((share) => share / most);
}

/**
 * @param {string} word
 * @param {Seen[]} rows
 * @param {Record<string, any>} answer
 */
export function lookingSentence(word, rows, { elsewhere = 0 }) {
  const [first] = rows;
  const share = percent(elsewhere);
  if (!first)
    return t("For {word} this head looks at no cell: {share} go to tokens that are no words.", { word, share });
  const looks = t("For {word} this head looks most at {seen} in cell {cell}: {share}.", {
    ...{ word, seen: first.word, cell: first.cell },
    share: percent(first.share),
  });
  return elsewhere < CLEAR ? looks : `${looks} ${t("{share} go to tokens that are no words.", { share })}`;
}

/**
 * @param {Side} side
 * @param {import("../../assets/wire/timeline.js").Moment | undefined} moment
 * @param {number} cell
 */
function nameOf(side, moment, cell) {
  if (moment?.kinds[cell] === OPEN) return t("an open cell");
  return `“${spoken(pieceOf(side, moment?.tokens[cell] ?? NOTHING))}”`;
}
