/** What a speed and a price mean for a piece of work: an agent's loop, a voice that answers, a month's bill. Pure. */

import { t } from "../../assets/looks/language.js";

/**
 * @typedef {object} Pace
 * @property {number} first seconds until the first content
 * @property {number} rate tokens a second after it
 * @property {number} verbosity tokens written where others write one, reasoning included
 */

/** Seconds that one answer takes.
 * @param {Pace} pace
 * @param {number} tokens that an answer of ordinary length has
 */
export function answerTime(pace, tokens) {
  return pace.first + (tokens * pace.verbosity) / pace.rate;
}

/** Seconds that an agent waits for its model, where each call needs the one before.
 * @param {Pace} pace
 * @param {{calls: number, tokens: number}} work
 */
export function agentLoop(pace, work) {
  return work.calls * answerTime(pace, work.tokens);
}

/** Seconds from the end of a question to the first spoken word: listened, thought to the end of a first sentence, spoken.
 * @param {Pace} pace
 * @param {{hearing: number, sentence: number, speaking: number}} voice seconds, tokens, seconds
 */
export function voiceDelay(pace, voice) {
  return voice.hearing + answerTime(pace, voice.sentence) + voice.speaking;
}

/** Dollars a month; NaN where a price is unknown.
 * @param {{input: number, output: number}} price for a million tokens
 * @param {number} verbosity
 * @param {{requests: number, given: number, tokens: number}} work a day, and tokens for each
 */
export function monthlyCost(price, verbosity, work) {
  return (30 * work.requests * (work.given * price.input + work.tokens * verbosity * price.output)) / 1e6;
}

/** A number with as many digits as mean something; a dash where it is not known.
 * @param {number | null | undefined} value
 * @param {string} [unit]
 */
export function figure(value, unit = "") {
  if (value == null || !Number.isFinite(value)) return t("unknown");
  const size = Math.abs(value);
  const digits = size === 0 || size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.01 ? 3 : 6;
  return `${Number(value.toFixed(digits)).toLocaleString("en-US", { maximumFractionDigits: digits })}${unit && ` ${unit}`}`;
}

/** Seconds, in words short enough for a table.
 * @param {number | null | undefined} seconds
 */
export function seconds(seconds) {
  if (seconds == null || !Number.isFinite(seconds)) return t("unknown");
  return seconds < 1 ? figure(seconds * 1000, "ms") : figure(seconds, "s");
}
