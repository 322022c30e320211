/** Confident is not compatible: what words about to be written do to each other, in pairs and in sentences. Pure. */

import { percent, pieceOf } from "../../assets/cells/face.js";
import { spoken } from "../../assets/looks/glyphs.js";
import { t } from "../../assets/looks/language.js";

/** @typedef {import("../../assets/wire/store.js").Side} Side */
/** @typedef {import("./threads.js").Thread} Thread */
/** @typedef {Record<string, any>} Answer to `clash` */
/** @typedef {{a: number, b: number, one: number, two: number, lift: number, both: number}} Pair cells, chances, nats, both */

const STRONG = 3; // nats at which a thread is as thick as it gets
const IMPOSSIBLE = 30; // nats: a chance of one in ten million million
const WEAK = 0.1; // a belief that moves by less has not moved

/**
 * Every word that was tried, with every other: how likely each is, and both together, strongest first.
 * @param {Answer} answer
 * @returns {Pair[]}
 */
export function pairs({ tried = [], cells = [], sure = [], lift = [] }) {
  const chance = new Map(cells.map((/** @type {number} */ cell, /** @type {number} */ i) => [cell, sure[i] ?? 0]));
  /** @type {Pair[]} */
  const found = [];
  const seen = new Set();
  tried.forEach((/** @type {number} */ a, /** @type {number} */ i) =>
    cells.forEach((/** @type {number} */ b, /** @type {number} */ j) => {
      const moved = lift[i]?.[j];
      const key = a < b ? `${a} ${b}` : `${b} ${a}`;
      if (a === b || moved == null || seen.has(key)) return;
      seen.add(key);
      const [one, two] = [chance.get(a) ?? 0, chance.get(b) ?? 0];
      found.push({ a, b, one, two, lift: moved, both: Math.min(1, one * two * Math.exp(moved)) });
    }),
  );
  return found.sort((x, y) => Math.abs(y.lift) - Math.abs(x.lift));
}

/** @param {Pair[]} found
 * @returns {Thread[]}
 */
export function threadsOf(found) {
  return found
    .filter(({ lift }) => Math.abs(lift) >= WEAK)
    .map(({ a, b, lift }) => ({
      from: a,
      to: b,
      weight: Math.min(1, Math.abs(lift) / STRONG),
      kind: lift < 0 ? "against" : "for",
    }));
}

/**
 * The two words that suit each other least, in one sentence.
 * @param {Side} side
 * @param {Answer} answer
 */
export function worst(side, answer) {
  const found = pairs(answer)
    .filter(({ lift }) => lift < -WEAK)
    .sort((x, y) => x.lift - y.lift)[0];
  if (!found) return t("No word here makes another one much less likely.");
  const name = namer(side, answer);
  const { a, b, one, two, both } = found;
  return t("{one} in cell {a} is {sure} sure and {two} in cell {b} {other}; both together {both}.", {
    ...{ one: name(a), a, sure: percent(one) },
    ...{ two: name(b), b, other: percent(two) },
    both: percent(both),
  });
}

/**
 * What one word would do to the others, strongest first.
 * @param {Side} side
 * @param {Answer} answer of one row
 */
export function moves(side, answer) {
  const name = namer(side, answer);
  const [cell = -1] = answer.tried ?? [];
  const rows = pairs(answer)
    .filter(({ lift }) => Math.abs(lift) >= WEAK)
    .slice(0, 3)
    .map(({ b, two, lift }) =>
      t("{word} in cell {cell} goes from {before} to {after}", {
        ...{ word: name(b), cell: b },
        ...{ before: percent(two), after: percent(then(two, lift)) },
      }),
    );
  const written = { word: name(cell), cell };
  return rows.length
    ? t("Were {word} written in cell {cell}: {moves}.", { ...written, moves: rows.join("; ") })
    : t("Were {word} written in cell {cell}, no other cell would change much.", written);
}

/** What writing these at once costs.
 * @param {Answer} answer
 */
export function priceOf({ coming = 0, product = 1, nats = 0 }) {
  if (coming < 2) return t("The next look writes a single word, so it pays nothing.");
  const chance = { n: coming, chance: percent(product) };
  if (nats > IMPOSSIBLE)
    return t(
      "The chances of the {n} words of the next look multiplied are {chance}, but together they are next to impossible.",
      chance,
    );
  if (nats <= -0.05)
    return t(
      "The chances of the {n} words of the next look multiplied are {chance}; together they are {times} likelier than that, since they suit each other: {nats} nats.",
      { ...chance, times: times(-nats), nats: nats.toFixed(1) },
    );
  if (nats < 0.05)
    return t(
      "The chances of the {n} words of the next look multiplied are {chance}; written one after another they would do no worse.",
      chance,
    );
  return t(
    "The chances of the {n} words of the next look multiplied are {chance}, but together they are {times} less likely than that: {nats} nats.",
    { ...chance, times: times(nats), nats: nats.toFixed(1) },
  );
}

/**
 * What the run has paid so far for writing words at once.
 * @param {[number, number | null][]} rows moments with what each paid
 * @param {number} at
 */
export function paidUpTo(rows, at) {
  const nats = rows.filter(([moment]) => moment <= at).map(([moment, found]) => ({ moment, nats: found ?? 0 }));
  const sum = nats.reduce((all, one) => all + one.nats, 0);
  const most = nats.reduce((best, one) => (one.nats > best.nats ? one : best), { moment: 0, nats: 0 });
  return { nats, sum, most };
}

/** @param {{sum: number, most: {moment: number, nats: number}}} paid
 * @param {(moment: number) => number} passOf
 */
export function paidSentence({ sum, most }, passOf) {
  if (sum <= -0.05)
    return t(
      "Writing several words at once has cost nothing so far. They suit each other: the text is {times} likelier than the chances of its words made it seem ({nats} nats).",
      { times: times(-sum), nats: sum.toFixed(1) },
    );
  if (sum < 0.05) return t("Writing several words at once has cost next to nothing so far.");
  const pass = passOf(most.moment);
  if (sum > IMPOSSIBLE)
    return t("Written at once, some words made the text next to impossible. Look {look} paid most.", { look: pass });
  return t(
    "Writing several words at once has cost {nats} nats so far: the text is {times} less likely than the chances of its words made it seem. Look {look} paid most, {most}.",
    { nats: sum.toFixed(1), times: times(sum), look: pass, most: most.nats.toFixed(1) },
  );
}

/** How a word's chance changes, in a table: ×1.4, ÷86, or a dot.
 * @param {number | null} lift
 */
export function factor(lift) {
  if (lift == null || Math.abs(lift) < WEAK) return "·";
  const size = Math.exp(Math.abs(lift));
  return `${lift < 0 ? "÷" : "×"}${size >= 1000 ? "1000+" : size >= 10 ? Math.round(size) : size.toFixed(1)}`;
}

/** @param {number} nats */
function times(nats) {
  const size = Math.exp(nats);
  if (size > 1e6) return t("more than a million times");
  return t("{n} times", { n: size >= 10 ? Math.round(size).toLocaleString("en") : size.toFixed(1) });
}

/** @param {number} chance
 * @param {number} lift
 */
function then(chance, lift) {
  return Math.min(1, chance * Math.exp(lift));
}

const WIDEST = 14; // words of the table: more cannot be read

/**
 * Each word with each: what its being written does to the chance of another; and how many words are left out.
 * @param {Side} side
 * @param {Answer} answer
 */
export function matrixOf(side, answer) {
  const name = namer(side, answer);
  const moving = new Set(threadsOf(pairs(answer)).flatMap(({ from, to }) => [from, to]));
  const cells = /** @type {number[]} */ (answer.cells.filter((/** @type {number} */ cell) => moving.has(cell)));
  const shown = cells.slice(0, WIDEST);
  const place = (/** @type {number} */ cell) => answer.cells.indexOf(cell);
  const rows = shown.map((one) => ({
    name: name(one),
    cells: shown.map((two) => {
      const lift = one === two ? null : (answer.lift[place(one)]?.[place(two)] ?? null);
      const sign = lift === null || Math.abs(lift) <= WEAK ? "" : lift < 0 ? "against" : "for";
      const title = t("{one} in cell {a}, {two} in cell {b}", { one: name(one), a: one, two: name(two), b: two });
      return { text: one === two ? "" : factor(lift), sign, title };
    }),
  }));
  return { columns: shown.map(name), rows, left: answer.cells.length - shown.length };
}

/** How the table reads.
 * @param {number} left
 */
export function matrixSays(left) {
  const reading = t(
    "If the word of a row is written, the chance of the word of a column is multiplied or divided by this.",
  );
  if (left <= 0) return reading;
  const others =
    left === 1 ? t("One other word would change less.") : t("{n} other words would change less.", { n: left });
  return `${reading} ${others}`;
}

/** @param {Side} side
 * @param {Answer} answer
 */
export function namer(side, { cells = [], tokens = [] }) {
  return (/** @type {number} */ cell) => `“${spoken(pieceOf(side, tokens[cells.indexOf(cell)] ?? -1))}”`;
}
