/** What may be written instead of a prompt that the model does not know, in words. Pure. */

import { t } from "../looks/language.js";
import { cut } from "./shapes.js";

/** @typedef {{prompt: string, length: number}} Offer a prompt near to it, of a kind that the model writes well */

const LONGEST = 60; // characters of a prompt
const SENTENCE = 90; // of an offer: the first sentence of a story is read whole

/** Why it is not run, and whether something like it can be written.
 * @param {string} prompt
 * @param {string} weak its title, if the model has learned texts of that kind and writes them badly
 * @param {boolean} instead
 * @param {boolean} [others] another model may answer it
 */
export function reason(prompt, weak, instead, others = false) {
  const why = weak
    ? t("This small model does not write texts of the kind “{title}” well.", { title: `${weak}:` })
    : t("“{prompt}” is nothing this small model was trained on.", { prompt: cut(prompt.trim(), LONGEST) });
  if (others) return why;
  return instead
    ? `${why} ${t("Nearest to it, it can write:")}`
    : `${why} ${t("It cannot write that: it knows small stories, sums, lists, recipes and letters.")}`;
}

/** An offer on its button.
 * @param {Offer} offer
 */
export function labelOf({ prompt }) {
  const talk = /^User: (.*)\nAssistant:$/.exec(prompt);
  if (talk) return t("In a talk: “{words}”", { words: cut(talk[1] ?? "", SENTENCE) });
  return cut((prompt.split("\n")[0] ?? "").trim(), SENTENCE);
}
