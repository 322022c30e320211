/** The kinds of text that one can ask for: each a sentence with blanks, filled with an example that works. Pure. */

import { t } from "../looks/language.js";

/**
 * @typedef {object} Shape
 * @property {string} name
 * @property {string} says what comes of it
 * @property {string} template the prompt, with the names of blanks in braces
 * @property {Record<string, string>} example what stands in the blanks
 * @property {number} length how many tokens to write
 */

/** @typedef {{text: string} | {blank: string}} Part */

const BLANK = /\{(\w+)\}/g;

/** Text and blanks in reading order.
 * @param {string} template
 * @returns {Part[]}
 */
export function partsOf(template) {
  return template
    .split(BLANK)
    .map((part, i) => (i % 2 ? { blank: part } : { text: part }))
    .filter((part) => !("text" in part) || part.text !== "");
}

/** The prompt with its blanks filled.
 * @param {Shape} shape
 * @param {Record<string, string>} [values]
 */
export function filled(shape, values = shape.example) {
  return shape.template.replace(BLANK, (_, name) => values[name] ?? "");
}

/** A text that is not too long to be shown: whole signs, and a mark where more follows.
 * @param {string} text
 * @param {number} most signs
 */
export function cut(text, most) {
  const signs = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
  return signs.length > most
    ? `${signs
        .slice(0, most - 2)
        .join("")
        .trimEnd()} …`
    : text;
}

/** What a prompt leaves open, in words; empty where there is nothing to explain.
 * @param {string} prompt
 * @param {boolean} [twin] a model beside it reads from left to right
 */
export function explained(prompt, twin = true) {
  if (prompt.trim() === "") return t("No prompt yet: with none, the model writes something at random.");
  let cells = 0;
  let blanks = 0;
  for (const found of prompt.matchAll(/_{3,}|\[MASK(?::(\d{1,5}))?\]/g)) {
    blanks++;
    cells += found[0].startsWith("_") ? found[0].length : Number(found[1] ?? 1);
  }
  if (!blanks) return "";
  const tokens = cells === 1 ? t("1 token") : t("{n} tokens", { n: cells });
  const only =
    blanks === 1
      ? t("Only the blank will be written: {tokens}. Length does not apply.", { tokens })
      : t("Only the {n} blanks will be written: {tokens}. Length does not apply.", { n: blanks, tokens });
  if (!twin) return only;
  const beside = /^\s*(_{3,}|\[MASK(:\d{1,5})?\])/.test(prompt)
    ? t("Nothing stands before the first blank, so the twin begins a text of its own.")
    : t("The twin reads only what stands before the first blank.");
  return `${only} ${beside}`;
}

/** A number of parameters in words.
 * @param {number} parameters
 */
export function sized(parameters) {
  if (!parameters) return "";
  const [value, unit] = parameters >= 1e9 ? [parameters / 1e9, t("billion")] : [parameters / 1e6, t("million")];
  const n = value >= 10 || Number.isInteger(value) ? Math.round(value) : value.toFixed(1);
  return t("{n} {unit} parameters", { n, unit });
}

/** What the model is, in one breath.
 * @param {{name?: string, parameters?: number, knows?: string, trained?: boolean}} card
 */
export function about({ name, parameters = 0, knows = "", trained }) {
  if (trained === false)
    return t("{model} was not trained: it writes at random, to show how decoders work.", {
      model: name ?? t("This model"),
    });
  const size = sized(parameters);
  if (knows)
    return t("A model of {size}, trained for this page on {kinds}. It knows nothing else.", {
      size: size || t("unknown size"),
      kinds: t(knows),
    });
  const what = `${name ?? t("A model")}${size ? `, ${size}` : ""}`;
  return t("{model}, made by others: what it knows is on its own card.", { model: what });
}
