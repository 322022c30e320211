/** The kinds of text that one can ask for: each a sentence with blanks, filled with an example that works. Pure. */

import { t } from "../looks/language.js";

/**
 * @typedef {object} Shape
 * @property {string} name
 * @property {string} says what comes of it
 * @property {string} template the prompt, with the names of blanks in braces
 * @property {Record<string, string>} example what stands in the blanks
 * @property {number} length how many tokens to write
 * @property {string} near a pattern of questions that it comes near to
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

/** The shapes that come nearest to what somebody typed, most fitting first.
 * @param {Shape[]} shapes
 * @param {string} prompt
 * @param {number} count
 */
export function nearest(shapes, prompt, count = 3) {
  const text = prompt.toLowerCase();
  const fits = (/** @type {Shape} */ shape) => Number(shape.near !== "" && new RegExp(shape.near, "u").test(text));
  return shapes
    .map((shape, i) => ({ shape, i, fit: fits(shape) }))
    .sort((a, b) => b.fit - a.fit || a.i - b.i)
    .slice(0, count)
    .map(({ shape }) => shape);
}

/** What somebody typed, put as their turn in a talk; null where the model knows no talks.
 * @param {Shape[]} shapes
 * @param {string} prompt
 */
export function inTalk(shapes, prompt) {
  const shape = shapes.find(({ template }) => /^User: \{\w+\}\nAssistant:$/.test(template));
  const words = prompt.trim().replace(/\s+/g, " "); // a turn is one line
  return shape && words ? { shape, prompt: shape.template.replace(BLANK, () => words) } : null;
}

// several words, and none of the signs of a question, a sum or code
const SENTENCE = /^["“]?\p{L}[^\s?:;=+*/<>{}()[\]_#@|\\]*(?:\s[^\s?:;=+*/<>{}()[\]_#@|\\]+){2,}$/u;
const NOT_TOLD =
  /^(?:what|who|whose|whom|which|when|where|why|how|is|are|was|were|do|does|did|can|could|will|would|should|shall|may|have|has|dear|please|hello|hi|write|tell|give|make|show|list|explain|describe|translate|summari[sz]e|solve|compute|calculate|compare|define|name|find|help|create|generate|ignore|continue|complete|act|let)\b/iu;

/** What somebody typed, as the beginning of a story: after its title, if that names a kind that the model does not know.
 * `title` is the one left out. Null where it does not tell anything, or the model knows no stories.
 * @param {Shape[]} shapes
 * @param {string} prompt
 */
export function asStory(shapes, prompt) {
  const shape = shapes.find(({ template }) => /^Story: \{\w+\}$/.test(template));
  const title = /^\s*(\p{L}+:)\s/u.exec(prompt)?.[1] ?? "";
  const known = shapes.some(({ template }) => template.startsWith(title));
  const words = (known ? prompt : prompt.replace(title, "")).trim().replace(/\s+/g, " ");
  if (!shape || !SENTENCE.test(words) || NOT_TOLD.test(words)) return null;
  return { shape, prompt: shape.template.replace(BLANK, () => words), title: known ? "" : title };
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
  if (prompt.trim() === "") return t("No prompt: the model begins a text of its own, of any kind it knows.");
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
