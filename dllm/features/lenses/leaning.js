/** Which other words a word leans on: what it would be given without each of them. Pure. */

import { percent, pieceOf } from "../../assets/cells/face.js";
import { spoken } from "../../assets/looks/glyphs.js";
import { t } from "../../assets/looks/language.js";
import { NOTHING } from "../../assets/wire/canvas.js";

/** @typedef {import("../../assets/wire/store.js").Side} Side */
/** @typedef {import("./threads.js").Thread} Thread */
/** @typedef {{cell: number, word: string, without: number, nats: number}} Support */

export const SHOWN = 8;
const STRONG = 3; // nats at which a thread is as thick as it gets
const WEAK = 0.05; // a word that gives less gives nothing

/**
 * The words that matter, strongest first.
 * @param {Side} side
 * @param {number} at
 * @param {Record<string, any>} answer to `why`
 * @returns {Support[]}
 */
export function supports(side, at, { share = 0, others = [], nats = [] }) {
  const moment = side.moments[at];
  return others
    .map((/** @type {number} */ cell, /** @type {number} */ i) => ({
      cell,
      word: `“${spoken(pieceOf(side, moment?.tokens[cell] ?? NOTHING))}”`,
      without: Math.min(1, share * Math.exp(-(nats[i] ?? 0))),
      nats: nats[i] ?? 0,
    }))
    .filter((/** @type {Support} */ one) => Math.abs(one.nats) >= WEAK)
    .sort((/** @type {Support} */ a, /** @type {Support} */ b) => Math.abs(b.nats) - Math.abs(a.nats));
}

/**
 * From each word to the one that leans on it; dashed where it stands in spite of it.
 * @param {number} cell
 * @param {Support[]} rows
 * @returns {Thread[]}
 */
export function leaningThreads(cell, rows) {
  return rows.slice(0, SHOWN).map(({ cell: from, nats }) => ({
    from,
    to: cell,
    weight: Math.min(1, Math.abs(nats) / STRONG),
    kind: nats < 0 ? "against" : "for",
    arrow: true,
  }));
}

/**
 * @param {string} word
 * @param {number} share
 * @param {Support[]} rows
 */
export function leaningSentence(word, share, rows) {
  const begins = t("With every other word as it is, the model gives {word} {share}.", { word, share: percent(share) });
  const [first] = rows;
  if (!first) return `${begins} ${t("No single word changes that.")}`;
  const without = { word: first.word, cell: first.cell, share: percent(first.without) };
  return `${begins} ${
    first.nats > 0
      ? t("Without {word} in cell {cell} it would fall to {share}.", without)
      : t("Without {word} in cell {cell} it would rise to {share}.", without)
  }`;
}
