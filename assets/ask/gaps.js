/** A text of one's own with gaps in it: which words are opened, how long a gap is, and what is whose. Pure. */

import { t } from "../looks/language.js";

const GAP = /_{3,}|\[MASK(?::(\d{1,5}))?\]/g;
const NEW = 6; // cells of a gap where nothing stood
const SPARE = 24; // cells that a text may gain where its gaps are free

/** @typedef {{text: string, cells: number}} Part cells is 0 for a text that stays */

/**
 * A text in its parts: what stays, and gaps of so many cells.
 * @param {string} text
 * @returns {Part[]}
 */
export function partsOf(text) {
  /** @type {Part[]} */
  const parts = [];
  let at = 0;
  for (const found of text.matchAll(GAP)) {
    if (found.index > at) parts.push({ text: text.slice(at, found.index), cells: 0 });
    const cells = found[0].startsWith("_") ? found[0].length : Math.max(1, Number(found[1] ?? 1));
    parts.push({ text: found[0], cells });
    at = found.index + found[0].length;
  }
  if (at < text.length) parts.push({ text: text.slice(at), cells: 0 });
  return parts;
}

/** About how many tokens a text takes: its words and marks, long ones as two.
 * @param {string} text
 */
export function tokensIn(text) {
  return (text.match(/\p{L}+|\p{N}|[^\s\p{L}\p{N}]/gu) ?? []).reduce((sum, word) => sum + (word.length > 8 ? 2 : 1), 0);
}

/**
 * The text with a selection opened, whole words at a time; with nothing selected, a gap at the caret. And the new caret.
 * @param {string} text
 * @param {number} from
 * @param {number} to
 */
export function opened(text, from, to) {
  let [low, high] = [from, to];
  if (low < high) {
    while (low > 0 && /\S/.test(text[low - 1] ?? "") && /\S/.test(text[low] ?? "")) low--;
    while (high < text.length && /\S/.test(text[high] ?? "") && /\S/.test(text[high - 1] ?? "")) high++;
    while (low < high && /\s/.test(text[low] ?? "")) low++;
    while (high > low && /\s/.test(text[high - 1] ?? "")) high--;
  }
  const inside = text.slice(low, high);
  const cells = partsOf(inside).reduce((sum, part) => sum + (part.cells || tokensIn(part.text)), 0) || NEW;
  const [before, after] = [text.slice(0, low), text.slice(high)];
  const gap = `${before && /\S$/.test(before) ? " " : ""}[MASK:${cells}]${after && /^[\p{L}\p{N}]/u.test(after) ? " " : ""}`;
  return { text: before + gap + after, caret: before.length + gap.length };
}

/** What would be written, in a sentence.
 * @param {string} text
 * @param {number} [from] the letter from which on it is a person's own
 */
export function summary(text, from = 0) {
  const gaps = partsOf(text).filter(({ cells }) => cells);
  if (!text.trim()) return t("Type or paste a text. Then select the words that the model is to write anew.");
  if (!gaps.length) return t("Select words and open them, or put the cursor where something is missing.");
  const cells = gaps.reduce((sum, gap) => sum + gap.cells, 0);
  const rest = from ? t("The prompt stays, and every other word is yours.") : t("Every other word stays yours.");
  const many = cells === 1 ? t("one cell") : t("{n} cells", { n: cells });
  const gap =
    gaps.length === 1
      ? t("The model writes one gap of {cells}.", { cells: many })
      : t("The model writes {n} gaps of {cells}.", { n: gaps.length, cells: many });
  return `${gap} ${rest}`;
}

/** Why gaps keep their length though a person wishes otherwise; empty where they may grow and shrink.
 * @param {Record<string, unknown>} values of the controls
 * @param {Record<string, any>} card of the model that fills them, where it is known
 */
export function fixedLength(values, card) {
  if (values.constraint) return t("Gaps keep their length: there is a rule for the text, and it counts on it.");
  if (card.causal) return t("Gaps keep their length: this model writes from left to right, on from the first gap.");
  if (card.blockwise) return t("Gaps keep their length: this model writes block by block.");
  if (card.noise) return t("Gaps keep their length: this model begins with noise in every cell.");
  return "";
}

/**
 * Where a text goes on behind the prompt that it was taken with; 0 where it does not begin with that.
 * @param {string} text
 * @param {string} prompt
 */
export function ownFrom(text, prompt) {
  if (!text.startsWith(prompt)) return 0;
  const space = /^\s+(?=_{3}|\[MASK)/.exec(text.slice(prompt.length)); // before a gap it is nobody's word
  return prompt.length + (space?.[0].length ?? 0);
}

/** How many cells the gaps may come to have together.
 * @param {string} text
 */
export function roomOf(text) {
  return partsOf(text).reduce((sum, { cells }) => sum + cells, 0) + SPARE;
}
