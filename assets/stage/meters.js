/** What a side has cost and given so far, and a sentence about who was faster at what, right in both directions. Pure. */

import { GIVEN, OPEN, WRITTEN, NOTHING } from "../wire/canvas.js";
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
 * @property {number} afterFirst tokens a second after the first text; NaN until it can be told
 * @property {number} first ms until the first text; NaN before it
 * @property {boolean} done
 * @property {boolean} shared
 */

/**
 * @param {Side} side
 * @param {number} at
 * @returns {Cost}
 */
export function costOf(side, at) {
  const moment = side.moments[at];
  const none = { passes: 0, tokens: 0, perPass: NaN, clock: 0, thinking: NaN, other: NaN, rate: NaN, afterFirst: NaN };
  if (!moment) return { ...none, first: NaN, done: false, shared: false };
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
  };
}

/**
 * Tokens of the text that the model wrote: not the prompt, not pins, not what follows the end.
 * @param {Side} side
 * @param {Moment} moment
 */
function standing(side, moment) {
  const stops = textEnd(moment, side.head.ends ?? []);
  let tokens = 0;
  for (let cell = 0; cell < stops; cell++) if (moment.kinds[cell] === WRITTEN) tokens++;
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
  return ms >= 1000 ? `${tidy(ms / 1000)} s` : `${tidy(ms)} ms`;
}

/**
 * What the meter of a side shows, in order.
 * @param {Cost} cost
 * @returns {{name: string, value: string, title: string}[]}
 */
export function readings(cost) {
  const split = Number.isFinite(cost.thinking) ? `${tidy(cost.thinking)} + ${tidy(cost.other)}` : "–";
  return [
    { name: "passes", value: String(cost.passes), title: "Forward passes through the network; guidance counts twice" },
    { name: "tokens", value: String(cost.tokens), title: "Written by the model, up to the end of the text" },
    { name: "per pass", value: tidy(cost.perPass), title: "Tokens written in an average pass" },
    { name: "ms a pass", value: split, title: "In the model + everything else" },
    { name: "tokens/s", value: tidy(cost.rate), title: "Over the whole run, in device time" },
    { name: "after first", value: tidy(cost.afterFirst), title: "Tokens a second after the first text" },
    { name: "first text", value: duration(cost.first), title: "Device time until the first word stood" },
    { name: "finished", value: cost.done ? duration(cost.clock) : "…", title: "Device time until nothing was open" },
  ];
}

/**
 * Who was faster at what, and why: true whichever way it went.
 * @param {{name: string, cost: Cost}} one
 * @param {{name: string, cost: Cost}} two
 */
export function verdict(one, two) {
  if (!one.cost.passes && !two.cost.passes) return "";
  if (one.cost.done !== two.cost.done) {
    const [ahead, behind] = one.cost.done ? [one, two] : [two, one];
    return (
      `${ahead.name} has finished after ${duration(ahead.cost.clock)} of device time and ${counted(ahead.cost.passes)}; ` +
      `${behind.name} has written ${behind.cost.tokens} ${behind.cost.tokens === 1 ? "token" : "tokens"} in ${duration(behind.cost.clock)} so far.`
    );
  }
  if (!one.cost.done) {
    return `So far: ${soFar(one)}, ${soFar(two)}.`;
  }
  const [fast, slow] = one.cost.clock <= two.cost.clock ? [one, two] : [two, one];
  const times = slow.cost.clock / fast.cost.clock;
  const each = (/** @type {{name: string, cost: Cost}} */ side) =>
    `${counted(side.cost.passes)} of ${duration(side.cost.clock / side.cost.passes)}`;
  const headline =
    times < 1.05
      ? `Both finished in about the same device time: ${fast.name} with ${each(fast)}, ${slow.name} with ${each(slow)}.`
      : `${fast.name} finished ${times.toFixed(1)} × sooner: ${each(fast)} against ${each(slow)}.`;
  return `${headline} ${because(fast, slow, times)}${firstWord(fast, slow)}${shared(one, two)}`;
}

/** @param {number} passes */
function counted(passes) {
  return passes === 1 ? "1 pass" : `${passes} passes`;
}

/** @param {{name: string, cost: Cost}} side */
function soFar({ name, cost }) {
  return `${name} ${cost.tokens} ${cost.tokens === 1 ? "token" : "tokens"} in ${counted(cost.passes)}`;
}

/**
 * @param {{name: string, cost: Cost}} fast
 * @param {{name: string, cost: Cost}} slow
 * @param {number} times
 */
function because(fast, slow, times) {
  const fewer = slow.cost.passes / fast.cost.passes;
  const lighter = slow.cost.clock / slow.cost.passes / (fast.cost.clock / fast.cost.passes);
  if (times < 1.05) return "";
  if (fewer > 1.05 && lighter < 0.95) {
    return `Its passes are dearer, but it needs ${fewer.toFixed(1)} × fewer: ${tidy(fast.cost.perPass)} tokens each.`;
  }
  if (fewer < 0.95 && lighter > 1.05) {
    return `It needs more passes, but each is ${lighter.toFixed(1)} × cheaper; ${slow.name} wrote ${tidy(slow.cost.perPass)} tokens a pass, too few to make up for it.`;
  }
  if (fewer > 1.05) return `It needs ${fewer.toFixed(1)} × fewer passes: ${tidy(fast.cost.perPass)} tokens each.`;
  return `Its passes are ${lighter.toFixed(1)} × cheaper.`;
}

/**
 * @param {{name: string, cost: Cost}} fast
 * @param {{name: string, cost: Cost}} slow
 */
function firstWord(fast, slow) {
  const sooner = fast.cost.first / slow.cost.first;
  if (!(sooner > 1.05)) return "";
  return ` ${slow.name} showed its first word sooner (${duration(slow.cost.first)} against ${duration(fast.cost.first)}).`;
}

/**
 * @param {{cost: Cost}} one
 * @param {{cost: Cost}} two
 */
function shared(one, two) {
  return one.cost.shared || two.cost.shared ? " Others had the device too, so these times are not its own." : "";
}

/**
 * The text that stands, for reading aloud and for taking away.
 * @param {Side} side
 * @param {number} at
 */
export function textOf(side, at) {
  const moment = side.moments[at];
  if (!moment) return "";
  const stops = textEnd(moment, side.head.ends ?? []);
  let text = "";
  for (let cell = 0; cell < stops; cell++) {
    const token = moment.tokens[cell] ?? NOTHING;
    if (moment.kinds[cell] === GIVEN || (side.head.ends ?? []).includes(token)) continue;
    text += moment.kinds[cell] === OPEN ? " _" : (side.pieces.get(token) ?? " ?");
  }
  return text.trim();
}
