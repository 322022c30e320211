/** What two runs have in common, and in what they differ: a few figures with units. Pure. */

import { t } from "../looks/language.js";
import { duration, tidy } from "./meters.js";

/** @typedef {import("./meters.js").Cost} Cost */
/** @typedef {{cost: Cost, facts: {hold: number, facts: number} | null | undefined}} Side */
/** @typedef {{label: string, values: {text: string, share: number}[]}} Row `share` of the larger value */

const ALIKE = 1.25; // figures that differ by less are said to be the same

/** @type {{label: string, of: (side: Side) => number, text: (value: number, side: Side) => string, exact?: boolean}[]} */
const FIGURES = [
  { label: "looks at the text", of: ({ cost }) => cost.passes, text: String, exact: true },
  { label: "tokens in one look", of: ({ cost }) => cost.perPass, text: (value) => value.toFixed(1) },
  { label: "one look takes", of: ({ cost }) => cost.thinking + cost.other, text: duration },
  { label: "first words after", of: ({ cost }) => cost.first, text: duration },
  { label: "finished after", of: ({ cost }) => (cost.done ? cost.clock : NaN), text: duration },
  { label: "tokens", of: ({ cost }) => cost.tokens, text: String },
  { label: "tokens a second", of: ({ cost }) => (cost.done ? cost.rate : NaN), text: tidy },
  {
    label: "facts that agree",
    of: ({ facts }) => (facts ? facts.hold / facts.facts : NaN),
    text: (_, { facts }) => (facts ? t("{hold} of {facts}", { hold: facts.hold, facts: facts.facts }) : "–"),
    exact: true,
  },
];
const KEPT = 4; // rows that are shown even where they say the same: what a look is, and what it costs

/**
 * @param {Side[]} sides
 * @returns {{rows: Row[], same: string}} `same`: a sentence on what is alike, or empty
 */
export function comparison(sides) {
  /** @type {Row[]} */
  const rows = [];
  /** @type {string[]} */
  const same = [];
  FIGURES.forEach(({ label, of, text, exact = false }, i) => {
    if (label === "tokens a second" && sides.length > 1) return; // of the same work it says what the time says
    const values = sides.map(of);
    const known = values.filter(Number.isFinite);
    if (!known.length) return;
    const [low, high] = [Math.min(...known), Math.max(...known)];
    const alike =
      sides.length > 1 && known.length === sides.length && (low === high || (!exact && high <= low * ALIKE));
    const texts = values.map((value, k) =>
      Number.isFinite(value) ? text(value, /** @type {Side} */ (sides[k])) : "–",
    );
    if (alike && i >= KEPT) return void same.push(phrase(label, [...new Set(texts)]));
    const share = (/** @type {number} */ value) => (Number.isFinite(value) && high > 0 ? value / high : 0);
    rows.push({ label: t(label), values: values.map((value, k) => ({ text: texts[k] ?? "–", share: share(value) })) });
  });
  return { rows, same: same.length ? `${t("The same on both sides:")} ${same.join(", ")}.` : "" };
}

/**
 * A figure that both sides share, such as "71 tokens" or "finished after 0.18 s and 0.2 s".
 * @param {string} label
 * @param {string[]} texts one, or two that are about the same
 */
function phrase(label, texts) {
  const value = texts.join(t(" and "));
  return label === "finished after" ? t("finished after {time}", { time: value }) : `${value} ${t(label)}`;
}
