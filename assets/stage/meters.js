/** What a side has cost and given so far, and a fair sentence about who was faster. Pure. */

import { textOfPieces } from "../looks/bytes.js";
import { GIVEN, OPEN, OWN, WRITTEN, NOTHING } from "../wire/canvas.js";
import { textEnd } from "../wire/timeline.js";
import { agreeing } from "./quality.js";

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

/** How far a clock has come, in one unit.
 * @param {number} at
 * @param {number} last
 */
export function clockOf(at, last) {
  const [scale, unit, digits] = last < 100 ? [1, "ms", 0] : [1000, "s", last < 10_000 ? 2 : 1];
  return `${(at / scale).toFixed(digits)} of ${(last / scale).toFixed(digits)} ${unit}`;
}

/**
 * What the meter of a side shows, in order.
 * @param {Cost} cost
 * @param {import("./quality.js").Quality | null} [quality]
 * @returns {{name: string, value: string, title: string}[]}
 */
export function readings(cost, quality = null) {
  const pass = cost.thinking + cost.other;
  const split = Number.isFinite(pass) ? `${tidy(cost.thinking)} ms in the model, ${tidy(cost.other)} ms around it` : "";
  return [
    { name: "passes", value: String(cost.passes), title: "Forward passes through the network; guidance counts twice" },
    { name: "tokens", value: String(cost.tokens), title: "Written by the model, up to the end of the text" },
    { name: "per pass", value: tidy(cost.perPass), title: "Tokens written in an average pass" },
    { name: "ms a pass", value: tidy(pass), title: `Milliseconds a pass. ${split}` },
    { name: "tokens/s", value: tidy(cost.rate), title: "Tokens a second over the whole run, in time on the processor" },
    { name: "after first", value: tidy(cost.afterFirst), title: "Tokens a second after the first text" },
    { name: "first text", value: duration(cost.first), title: "Time on the processor until the first word stood" },
    {
      name: "finished",
      value: cost.done ? duration(cost.clock) : "…",
      title: "Time on the processor until nothing was open",
    },
    {
      name: "facts",
      value: quality ? short(quality) : cost.done ? "–" : "…",
      title: quality
        ? `Facts of this text that agree with each other and with the prompt. ${found(quality)}`.trim()
        : "Facts that agree with each other: known where the text is finished and of a kind that can be checked",
    },
  ];
}

/** The mark where there is room for a few letters: that there is more to read is seen at once.
 * @param {import("./quality.js").Quality} quality
 */
function short({ facts, hold, faults }) {
  return `${hold} of ${facts}${faults ? " !" : ""}`;
}

/** What the judge found beside the facts, the first few by name.
 * @param {import("./quality.js").Quality} quality
 */
function found({ faults, reasons }) {
  if (!faults) return "";
  return `Besides, the judge of these worlds found: ${reasons.join("; ")}${faults > reasons.length ? " …" : "."}`;
}

/** @typedef {{name: string, cost: Cost, quality?: import("./quality.js").Quality | null, absent?: boolean}} Entry */

/**
 * Who was faster, for equal work: tokens a second, and the time for as many tokens. True whichever way it went.
 * @param {Entry} one
 * @param {Entry} two
 */
export function verdict(one, two) {
  if (!one.cost.passes && !two.cost.passes) return "";
  if (one.absent || two.absent) {
    const alone = one.absent ? two : one;
    const { passes, clock } = alone.cost;
    return `${alone.name}: ${tokens(alone)} in ${counted(passes)}, ${duration(clock)}. The other side has no run.`;
  }
  const broken = [one, two].find(({ cost }) => cost.failed);
  if (broken) return `${broken.name} broke off, so the two cannot be compared.`;
  if (one.cost.done !== two.cost.done) {
    const [ahead, behind] = one.cost.done ? [one, two] : [two, one];
    return (
      `${ahead.name} has written ${tokens(ahead)} in ${duration(ahead.cost.clock)} and is done; ` +
      `${behind.name} has ${tokens(behind)} after ${duration(behind.cost.clock)}.`
    );
  }
  if (!one.cost.done) return `So far: ${soFar(one)}, ${soFar(two)}.`;
  if (!one.cost.tokens || !two.cost.tokens) {
    const empty = one.cost.tokens ? two : one;
    return `${empty.name} wrote nothing, so the two cannot be compared.`;
  }
  const [fast, slow] = one.cost.rate >= two.cost.rate ? [one, two] : [two, one];
  const times = fast.cost.rate / slow.cost.rate;
  const headline =
    times < 1.05
      ? `Both write about as fast: ${tidy(fast.cost.rate)} and ${tidy(slow.cost.rate)} tokens a second.`
      : `${fast.name} writes ${times.toFixed(1)} × faster: ${tidy(fast.cost.rate)} tokens a second against ${tidy(slow.cost.rate)}.`;
  const facts = agreeing([fast, slow].map(({ name, quality = null }) => ({ name, quality })));
  const first = facts ? "" : firstWord(fast, slow);
  // times that are too long explain nothing; and a third line would move all that stands above it
  const why = shared(one, two) || [because(fast, slow, times), first].filter(Boolean).join(" ");
  return [headline, facts, sameLength(fast, slow), why].filter(Boolean).join(" ");
}

/** @param {Entry} entry */
function tokens({ cost }) {
  return cost.tokens === 1 ? "1 token" : `${cost.tokens} tokens`;
}

/** @param {number} passes */
function counted(passes) {
  return passes === 1 ? "1 pass" : `${passes} passes`;
}

/** @param {Entry} entry */
function soFar(entry) {
  return `${entry.name} ${tokens(entry)} in ${counted(entry.cost.passes)}`;
}

/** The time for the same number of tokens, where the texts are not equally long.
 * @param {Entry} fast
 * @param {Entry} slow
 */
function sameLength(fast, slow) {
  const same = Math.min(fast.cost.tokens, slow.cost.tokens);
  const each = [fast, slow].map(({ cost }) => duration((cost.clock * same) / cost.tokens)).join(" against ");
  if (fast.cost.tokens === slow.cost.tokens) return `Its ${same} tokens took ${each}.`;
  return `It wrote ${fast.cost.tokens} tokens against ${slow.cost.tokens}; for ${same} of them that is ${each}.`;
}

/**
 * @param {Entry} fast
 * @param {Entry} slow
 * @param {number} times
 */
function because(fast, slow, times) {
  if (times < 1.05) return "";
  const wider = fast.cost.perPass / slow.cost.perPass;
  const dearer = fast.cost.clock / fast.cost.passes / (slow.cost.clock / slow.cost.passes);
  if (wider > 1.05 && dearer > 1.05)
    return `Each of its passes takes ${dearer.toFixed(1)} × longer, but writes ${wider.toFixed(1)} × more tokens.`;
  if (wider > 1.05) {
    const cheaper = dearer < 0.95 ? ` and takes ${(1 / dearer).toFixed(1)} × less time` : "";
    return `Each of its passes writes ${wider.toFixed(1)} × more tokens${cheaper}.`;
  }
  if (wider < 0.95) return `Each of its passes writes fewer tokens, but takes ${(1 / dearer).toFixed(1)} × less time.`;
  return `Each of its passes takes ${(1 / dearer).toFixed(1)} × less time.`;
}

/**
 * @param {Entry} fast
 * @param {Entry} slow
 */
function firstWord(fast, slow) {
  const sooner = fast.cost.first / slow.cost.first;
  if (!(sooner > 1.05)) return "";
  return `${slow.name} showed its first word sooner (${duration(slow.cost.first)} against ${duration(fast.cost.first)}).`;
}

/**
 * @param {Entry} one
 * @param {Entry} two
 */
function shared(one, two) {
  return one.cost.shared || two.cost.shared ? "Something else used this processor meanwhile: times are too long." : "";
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
