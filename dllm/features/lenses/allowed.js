/** What a rule leaves to a cell, and how likely the text would meet it without: in sentences. Pure. */

import { percent } from "../../assets/cells/face.js";
import { t } from "../../assets/looks/language.js";
import { settingsAt } from "../../assets/wire/timeline.js";

/** @typedef {import("../../assets/wire/store.js").Side} Side */

/**
 * The rule that holds at a moment; null where there is none.
 * @param {Side} side
 * @param {number} at
 * @returns {Record<string, any> | null}
 */
export function ruleAt(side, at) {
  const { constraint } = settingsAt(side, at);
  return constraint?.kind ? constraint : null;
}

/**
 * What is left to one cell.
 * @param {Record<string, any>} answer to `validity`
 * @param {number} cell
 * @param {number} words in the vocabulary
 * @param {boolean} open
 */
export function leftTo({ begins = 0, allowed = [], live = [] }, cell, words, open) {
  const left = allowed[cell - begins];
  if (left === undefined) return t("The rule is not about this cell.");
  const states = live[cell - begins] ?? 0;
  const ways =
    states === 1
      ? t("One way of having begun is still open before it.")
      : t("{n} ways of having begun are still open before it.", { n: states.toLocaleString("en") });
  if (!open) return `${t("A word stands here.")} ${ways}`;
  const counts = { words: words.toLocaleString("en"), left: left.toLocaleString("en") };
  return `${t("{words} → {left} words allowed here.", counts)} ${ways}`;
}

/** @param {Record<string, any>} answer to `validity` */
export function chanceOf({ chance = 0 }) {
  return t("If every open cell were written now without the rule, the text would meet it with {chance}.", {
    chance: percent(chance),
  });
}
