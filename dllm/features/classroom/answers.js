/** What a class answered: a bar for each answer, and a table to keep, without names. Pure. */

import { t } from "../../assets/looks/language.js";
import { field } from "../../assets/looks/csv.js";

/** @typedef {import("./room.js").Revealed} Revealed */
/** @typedef {{label: string, count: number, right: boolean}} Bar */
/** @typedef {{session: string, kind: string, at: number, cell: number | "", label: string, count: number, right: boolean}} Kept */

const MOST = 6; // bars; a last one holds the rest

/**
 * The answers as bars, the most frequent first. Right answers without a vote come last.
 * @param {Revealed} revealed
 * @param {(cell: number) => string} shown what stands in a cell
 * @returns {Bar[]}
 */
export function bars({ kind, tally, right }, shown) {
  const fold = (/** @type {string} */ text) => text.trim().toLowerCase();
  const correct = new Set(right.map(fold));
  const label = (/** @type {string} */ text) =>
    kind === "cell" ? t("“{word}”, cell {cell}", { word: shown(Number(text)), cell: text }) : `“${text}”`;
  const given = tally.map(([text, count]) => ({ label: label(text), count, right: correct.has(fold(text)) }));
  const first = given.slice(0, MOST);
  const rest = given.slice(MOST).reduce((sum, { count }) => sum + count, 0);
  if (rest) first.push({ label: t("other answers"), count: rest, right: false });
  const missed = right.filter((text) => !tally.some(([one]) => fold(one) === fold(text)));
  const all = missed.length > 3 ? [] : missed; // of a look that wrote many cells, only those that somebody chose
  return [...first, ...all.map((text) => ({ label: label(text), count: 0, right: true }))];
}

/**
 * The answers to a question as rows to keep.
 * @param {Revealed} revealed
 * @param {Bar[]} rows
 * @returns {Kept[]}
 */
export function keptRows({ session, kind, at, cell }, rows) {
  return rows.map((bar) => ({ session, kind, at, cell: cell ?? "", ...bar }));
}

/**
 * All questions of a class as CSV. There are no names in it.
 * @param {Kept[][]} questions
 */
export function csvOf(questions) {
  const lines = questions.flatMap((rows, i) =>
    rows.map(({ kind, at, cell, label, count, right }) => [i + 1, kind, at, cell, label, count, right ? "yes" : "no"]),
  );
  const header = ["question", "kind", "moment", "cell", "answer", "count", "right"];
  return [header, ...lines].map((line) => line.map(field).join(",")).join("\r\n") + "\r\n";
}
