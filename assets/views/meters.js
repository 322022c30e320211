/** What a side has cost and given so far. Pure. */

import { textOfPieces } from "../looks/bytes.js";
import { t } from "../looks/language.js";
import { GIVEN, OPEN, OWN, WRITTEN, NOTHING } from "../wire/canvas.js";
import { textEnd } from "../wire/timeline.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("../wire/timeline.js").Moment} Moment */

/**
 * @typedef {object} Cost
 * @property {number} passes forwards spent: guidance counts twice
 * @property {number} tokens of text that the model wrote and that stand
 * @property {number} perPass
 * @property {number} clock device time, ms
 * @property {number} thinking ms a pass in the model
 * @property {number} other ms a pass around it
 * @property {number} rate tokens a second over the whole
 * @property {number} afterFirst tokens a second after the first text; NaN until it is known
 * @property {number} first ms until the first text; NaN before it
 * @property {boolean} done
 * @property {boolean} shared
 * @property {boolean} failed the run broke off
 */

/**
 * @param {Side} side
 * @param {number} at
 * @returns {Cost}
 */
export function costOf(side, at) {
  const moment = side.moments[at];
  const none = { passes: 0, tokens: 0, perPass: NaN, clock: 0, thinking: NaN, other: NaN, rate: NaN, afterFirst: NaN };
  if (!moment) return { ...none, first: NaN, done: false, shared: false, failed: false };
  const tokens = standing(side, moment);
  const opening = side.moments.slice(0, at + 1).find((m) => m.kind === "pass" && m.fresh.length > 0);
  const first = opening?.clock ?? NaN;
  const later = moment.clock - first;
  return {
    passes: moment.cost,
    tokens,
    perPass: moment.cost ? tokens / moment.cost : NaN,
    clock: moment.clock,
    thinking: moment.passes ? moment.thinking / moment.passes : NaN,
    other: moment.passes ? moment.other / moment.passes : NaN,
    rate: moment.clock ? (tokens / moment.clock) * 1000 : NaN,
    afterFirst: opening && later > 0 ? ((tokens - standing(side, opening)) / later) * 1000 : NaN,
    first,
    done: moment.open === 0 && (at === side.moments.length - 1 ? side.done : true),
    shared: moment.shared,
    failed: side.failed !== "",
  };
}

/**
 * Tokens of the text that the model wrote: not the prompt, not pins.
 * @param {Side} side
 * @param {Moment} moment
 */
function standing(side, moment) {
  const isText = textual(side, moment);
  let tokens = 0;
  for (let cell = 0; cell < moment.tokens.length; cell++) if (moment.kinds[cell] === WRITTEN && isText(cell)) tokens++;
  return tokens;
}

/**
 * Whether a cell is of the text: not its end nor what follows, and not one that says it is one too many.
 * @param {Side} side
 * @param {Moment} moment
 * @returns {(cell: number) => boolean}
 */
function textual({ head }, moment) {
  const ends = /** @type {number[]} */ (head.ends ?? []);
  const silent = new Set([...ends, ...(head.model?.skips ?? [])]);
  const stops = textEnd(moment, ends);
  return (cell) => cell < stops && !silent.has(moment.tokens[cell] ?? NOTHING);
}

/** @type {WeakMap<Moment, number>} */
const texts = new WeakMap();

/**
 * Tokens of text that came in one pass.
 * @param {Side} side
 * @param {Moment} moment
 */
export function freshText(side, moment) {
  const known = texts.get(moment);
  if (known !== undefined) return known;
  const tokens = moment.fresh.filter(textual(side, moment)).length;
  texts.set(moment, tokens);
  return tokens;
}

/**
 * A number with as many digits as mean something.
 * @param {number} value
 */
export function tidy(value) {
  if (!Number.isFinite(value)) return "–";
  if (value >= 1000) return Math.round(value).toLocaleString("en").replaceAll(",", "\u2009");
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** @param {number} ms */
export function duration(ms) {
  if (!Number.isFinite(ms)) return "–";
  if (ms >= 999.5) return `${tidy(ms / 1000)} s`; // what would round to a thousand is a second
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

/**
 * What the meter of a side shows, in order.
 * @param {Cost} cost
 * @param {import("../stage/quality.js").Quality | null | undefined} quality undefined while it is being judged
 * @returns {{name: string, value: string, title: string}[]}
 */
export function readings(cost, quality) {
  const pass = cost.thinking + cost.other;
  const parts = { model: tidy(cost.thinking), other: tidy(cost.other) };
  const split = Number.isFinite(pass) ? t("{model} ms in the model, {other} ms around it", parts) : "";
  return [
    {
      name: "looks",
      value: String(cost.passes),
      title: t("Looks at the text: forward passes of the network; guidance counts twice"),
    },
    { name: "tokens", value: String(cost.tokens), title: t("Written by the model, up to the end of the text") },
    { name: "per look", value: tidy(cost.perPass), title: t("Tokens written in an average look") },
    { name: "ms a look", value: tidy(pass), title: `${t("Milliseconds a look.")} ${split}`.trim() },
    {
      name: "tokens/s",
      value: tidy(cost.rate),
      title: t("Tokens a second over the whole run, by the clock that is shown"),
    },
    { name: "after first", value: tidy(cost.afterFirst), title: t("Tokens a second after the first text") },
    {
      name: "first text",
      value: duration(cost.first),
      title: t("Time until the first word stood, by the clock that is shown"),
    },
    {
      name: "finished",
      value: cost.done ? duration(cost.clock) : "…",
      title: t("Time until nothing was open, by the clock that is shown"),
    },
    {
      name: "facts",
      value: quality ? short(quality) : cost.done && quality === null ? "–" : "…",
      title: quality
        ? `${t("Facts of this text that agree with each other and with the prompt.")} ${found(quality)}`.trim()
        : t("Facts that agree with each other: known where the text is finished and of a kind that can be checked"),
    },
  ];
}

/** The mark where there is room for a few letters: that there is more to read is seen at once.
 * @param {import("../stage/quality.js").Quality} quality
 */
function short({ facts, hold, faults }) {
  return `${t("{hold} of {facts}", { hold, facts })}${faults ? " !" : ""}`;
}

/** What the judge found beside the facts, the first few by name.
 * @param {import("../stage/quality.js").Quality} quality
 */
function found({ faults, reasons }) {
  if (!faults) return "";
  const more = faults > reasons.length ? " …" : ".";
  return t("Besides, the judge of these worlds found: {faults}", { faults: reasons.join("; ") }) + more;
}

/**
 * The text that stands, for reading aloud and for taking away.
 * @param {Side} side
 * @param {number} at
 */
export function textOf(side, at) {
  const moment = side.moments[at];
  if (!moment) return "";
  const isText = textual(side, moment);
  /** @type {string[]} */
  const pieces = [];
  for (let cell = 0; cell < moment.tokens.length; cell++) {
    const token = moment.tokens[cell] ?? NOTHING;
    const given = moment.kinds[cell] === GIVEN || moment.kinds[cell] === OWN;
    if (given || !isText(cell)) continue;
    pieces.push(moment.kinds[cell] === OPEN ? " _" : (side.pieces.get(token) ?? " ?"));
  }
  return textOfPieces(pieces).trim();
}
