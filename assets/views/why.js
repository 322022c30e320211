/** Why a word was written, as a person would say it: a decoder's own reason is short and in its own numbers. Pure. */

import { percent } from "../cells/face.js";
import { t } from "../looks/language.js";

/** @typedef {(share: string, bar: string, reached: boolean, together: boolean) => string} Sentence */

const enough = (/** @type {string} */ share, /** @type {string} */ bar) =>
  t("its probability was {share}, and {bar} is enough", { share, bar });
const surest = (/** @type {string} */ share, /** @type {string} */ bar) =>
  t("no open word had {bar}, and this was the surest with {share}", { share, bar });

/** Reasons with a bar in them. @type {[RegExp, Sentence][]} */
const WITH_BAR = [
  [
    /^confidence \{\} against ([\d.]+)(?:, to be read when all stands)?$/,
    (share, bar, reached, together) =>
      reached
        ? enough(share, bar)
        : together
          ? t("the block was finished in this look, sure or not: it had {share}", { share })
          : surest(share, bar),
  ],
  [/^confidence \{\} is (?:at least|above) ([\d.]+)$/, enough],
  [/^confidence \{\}: none (?:was above|reached) ([\d.]+)(?:, this is the surest)?$/, surest],
];

/** Reasons that are the same words each time. @type {[RegExp, () => string][]} */
const FIXED = [
  [/^read from left to right: it stays$/, () => t("its twin read it from the left, and it stays")],
  [/^read from left to right it is another word$/, () => t("read from the left, its twin finds this word likelier")],
  [/^it stood behind words that were wrong$/, () => t("it stood behind words that were wrong")],
  [
    /^what follows would have broken the rule: another way$/,
    () => t("what followed would have broken the rule, so the text goes another way here"),
  ],
  [
    /^one of a few texts that keep the rule, to be compared$/,
    () => t("one of a few texts that keep the rule, to be compared by its twin"),
  ],
  [
    /^of these texts the reader finds this the likeliest$/,
    () => t("of the texts that keep the rule, its twin finds this one the likeliest"),
  ],
  [/^it leads nowhere: written anew from the left$/, () => t("the gap was given up and is filled from the left")],
  [/^the leftmost open cell$/, () => t("it was the first open word from the left")],
];

/** A share that no line breaks in.
 * @param {number} share
 */
const whole = (share) => percent(share).replace(" ", "\u00a0");

/**
 * @param {string} words of the decoder; `{}` is the number's place
 * @param {number[]} numbers of all words that it was the reason for in that look
 * @param {number} which of them is the word's
 */
export function plainReason(words, numbers, which) {
  const number = numbers[which];
  const fixed = FIXED.find(([form]) => form.test(words));
  if (fixed) return fixed[1]();
  for (const [form, sentence] of WITH_BAR) {
    const bar = words.match(form)?.[1];
    if (bar === undefined || number === undefined) continue;
    const below = numbers.filter((one) => one < Number(bar)).length;
    return sentence(whole(number), whole(Number(bar)), number >= Number(bar), below > 1);
  }
  return words.replace("{}", number === undefined ? "" : String(Math.round(number * 1000) / 1000));
}
