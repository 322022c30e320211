/** The columns of a race's results: what each is called, and how its figure is written. */

import { t } from "../../assets/looks/language.js";
import { figure, seconds } from "./estimate.js";

/** @typedef {Record<string, any>} Row */

export const COLUMNS = /** @type {[string, string, (row: Row, name: string) => string][]} */ ([
  [
    "first_reasoning",
    "First hidden reasoning",
    (row, name) => (row[name] == null && row.reasoning === 0 ? t("none") : spread(seconds)(row, name)),
  ],
  ["first", "First text", spread(seconds)],
  ["first_settled", "First settled text", spread(seconds)],
  ["end", "Last text", spread(seconds)],
  ["closed", "Stream closed", spread(seconds)],
  ["tokens", "Tokens", spread(figure)],
  ["reasoning", "of these reasoning", spread(figure)],
  ["tokens_per_second", "Tokens/s of text, whole", spread(figure)],
  [
    "tokens_per_second_after_first",
    "Tokens/s of text after the first",
    (row, name) =>
      row[name] == null && row.unmeasurable
        ? t("not measurable this way: {why}", { why: row.unmeasurable })
        : spread(figure)(row, name),
  ],
  ["cost", "Cost", (row, name) => (row.cost_from === "ours" ? t("ours") : spread(dollars)(row, name))],
]);

/** @param {(value: number | null) => string} form */
function spread(form) {
  return (/** @type {Row} */ row, /** @type {string} */ name) => {
    const between = row[`${name}_spread`];
    const whole = (/** @type {number | null} */ value) => form(value).replace(" ", "\u00a0"); // with its unit
    if (!between) return whole(row[name]);
    return t("{n} ({low} to {high})", { n: whole(row[name]), low: whole(between[0]), high: whole(between[1]) });
  };
}

/** @param {number | null} value */
function dollars(value) {
  return value == null ? t("unknown") : `$${figure(value)}`;
}
