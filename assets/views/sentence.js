/** The one sentence about both sides: looks first, and a speed only where both did the same work. Pure. */

import { t } from "../looks/language.js";
import { GIVEN, OPEN, OWN } from "../wire/canvas.js";

/** @typedef {import("./meters.js").Cost} Cost */
/** @typedef {{text: string, as?: "first" | "second" | "mine"}} Part of the sentence, in the colour of what it speaks of */
/** @typedef {{first: Part[], second: string}} Sentence */
/**
 * @typedef {object} Summary of a side
 * @property {Cost} cost
 * @property {boolean} absent no run is there
 * @property {boolean} causal it writes one word after another
 * @property {boolean} [remote] another server computes it
 * @property {boolean} gaps words were given behind open cells
 * @property {string} title where it has one of its own
 */

const ALIKE = 1.25; // times that differ by less are said to be about the same
const SAME_LENGTH = 1.25; // texts that differ by more in length were not the same work

/** Whether words were given behind open cells: a model that writes from left to right cannot look ahead to them.
 * @param {import("../wire/store.js").Side} side
 */
export function hasGaps({ moments }) {
  const kinds = [...(moments[0]?.kinds ?? [])];
  const open = kinds.indexOf(OPEN);
  return open >= 0 && kinds.findLastIndex((kind) => kind === GIVEN || kind === OWN) > open;
}

/** @param {number} looks */
export function counted(looks) {
  return looks === 1 ? t("1 look") : t("{n} looks", { n: looks });
}

/** A phrase whose braces become parts in a colour of their own.
 * @param {string} english
 * @param {Record<string, Part>} parts
 * @returns {Part[]}
 */
function phrase(english, parts) {
  return t(english)
    .split(/(\{\w+\})/)
    .filter(Boolean)
    .map((text) => parts[text.slice(1, -1)] ?? { text });
}

/** @param {Summary} side @returns {string} */
function nameOf({ causal, title }) {
  return title || (causal ? t("One word at a time") : t("Diffusion"));
}

/**
 * @param {[Summary, Summary]} sides
 * @param {{begun: boolean, over: boolean, slowed: boolean, same?: boolean, follows?: boolean}} when `same`: both texts
 * are; `follows`: somebody else runs things
 * @returns {Sentence}
 */
export function sentence(sides, { begun, over, slowed, same = false, follows = false }) {
  const [one, two] = sides;
  const pair = !one.causal && two.causal && !one.title && !two.title;
  if (one.absent && two.absent) {
    const text = follows ? t("What the class runs will appear here.") : t("Write how a text begins, and press Run.");
    return { first: [{ text }], second: "" };
  }
  if (one.absent || two.absent) return alone(one.absent ? two : one, one.absent ? "second" : "first", over);
  const names = {
    one: { text: nameOf(one), as: /** @type {const} */ ("first") },
    two: { text: nameOf(two), as: /** @type {const} */ ("second") },
  };
  if (!begun)
    return {
      first: [{ text: t("Two models will write the same text.") }],
      second: pair ? t("One may look everywhere; the other goes from left to right.") : "",
    };
  if (!over)
    return {
      first: pair
        ? phrase("{one} writes wherever it is sure; {two} writes the next word.", {
            one: { text: t("Diffusion"), as: "first" },
            two: { text: t("its twin"), as: "second" },
          })
        : phrase("{one} and {two} write the same text.", names),
      second: slowed ? t("Slowed down; both run on one clock.") : t("Both run on one clock."),
    };
  const broken = sides.find(({ cost }) => cost.failed);
  if (broken)
    return {
      first: [{ text: t("{name} broke off before its text was finished.", { name: nameOf(broken) }) }],
      second: "",
    };
  const looks = {
    ...names,
    looks: { text: counted(one.cost.passes), as: /** @type {const} */ ("first") },
    more: { text: pair ? String(two.cost.passes) : counted(two.cost.passes), as: /** @type {const} */ ("second") },
  };
  if (same) return { first: alike(pair, one.cost.passes === two.cost.passes, looks), second: speed(one, two) };
  return {
    first: pair
      ? phrase("{one} finished after {looks} at the text; one word at a time took {more}.", looks)
      : phrase("{one} finished after {looks} at the text, {two} after {more}.", looks),
    second: speed(one, two),
  };
}

/** What is said of two texts that are the same.
 * @param {boolean} pair whether the second is the first one's twin
 * @param {boolean} even whether both took as many looks
 * @param {Record<string, Part>} looks
 */
function alike(pair, even, looks) {
  if (pair) return phrase("{one} wrote word for word the same, in {looks} instead of {more}.", looks);
  return even
    ? phrase("{one} and {two} wrote word for word the same, in {looks} each.", looks)
    : phrase("{one} and {two} wrote word for word the same, in {looks} and {more}.", looks);
}

/**
 * @param {Summary} side
 * @param {"first" | "second"} as
 * @param {boolean} over
 * @returns {Sentence}
 */
function alone(side, as, over) {
  const name = { text: nameOf(side), as };
  if (side.cost.failed)
    return { first: phrase("{one} broke off before its text was finished.", { one: name }), second: "" };
  const looks = { text: counted(side.cost.passes), as };
  return {
    first: over
      ? phrase("{one} finished after {looks} at the text.", { one: name, looks })
      : phrase("{one} has taken {looks} at the text so far.", { one: name, looks }),
    second: "",
  };
}

/** How the times compare, where both did the same work and nothing else took the processor.
 * @param {Summary} one
 * @param {Summary} two
 */
function speed(one, two) {
  const [a, b] = [one.cost, two.cost];
  if (one.gaps && two.causal) return t("It cannot look ahead to the words that were given, so times say nothing here.");
  if (Boolean(one.remote) !== Boolean(two.remote))
    return t("One of the two runs on another machine, so times say nothing.");
  if (a.shared || b.shared)
    return t("Something else used this processor meanwhile, so times say nothing. Run it again to compare them.");
  if (!a.tokens || !b.tokens || !a.clock || !b.clock) return "";
  const length = Math.max(a.tokens, b.tokens) / Math.min(a.tokens, b.tokens);
  if (length > SAME_LENGTH) return t("Their texts differ too much in length to compare their times.");
  const times = a.clock / b.clock;
  if (times <= ALIKE && times >= 1 / ALIKE) return t("On this processor, both took about as long.");
  const [side, factor] = times < 1 ? [one, 1 / times] : [two, times];
  return t("On this processor, {name} was {times} × faster.", { name: spokenName(side), times: factor.toFixed(1) });
}

/** What a side is called inside a sentence.
 * @param {Summary} side
 */
export function spokenName(side) {
  const name = nameOf(side);
  return name === t("One word at a time") ? name.charAt(0).toLowerCase() + name.slice(1) : name;
}

/**
 * @typedef {object} Changed what a person changed in a run, and what came of it
 * @property {string} name of the side
 * @property {"first" | "second"} side
 * @property {number} words that the person set
 * @property {number} followed other words that came out differently
 * @property {boolean} over
 * @property {number} from the look that it went back to
 * @property {boolean} twin whether one word at a time stands beside it
 * @property {boolean} yours whether the reader made the change
 */

/** What a person's changes have led to.
 * @param {Changed} changed
 * @returns {Sentence}
 */
export function consequence({ name, side, words, followed, over, from, twin, yours }) {
  const mine = (/** @type {string} */ text) => ({ text, as: /** @type {const} */ ("mine") });
  const more =
    followed === 0
      ? t("nothing else changed")
      : followed === 1
        ? t("one more followed")
        : t("{n} more followed", { n: followed });
  const parts = { one: { text: name, as: side }, from: { text: String(from) }, more: { text: more, as: side } };
  if (!over) {
    const second = t("What it had written by then stays; the rest is open again.");
    const word = mine(words > 1 ? t("your words") : t("your word"));
    const first =
      words && yours
        ? phrase("{one} goes on from look {from}, with {mine}.", { ...parts, mine: word })
        : phrase("{one} goes on from look {from}.", parts);
    return { first, second };
  }
  const second = twin ? t("One word at a time never goes back: what it wrote stays.") : "";
  if (!words) return { first: phrase("{one} went back, and {more}.", parts), second };
  const many = t("{n} words", { n: words });
  const first = yours
    ? phrase("You changed {mine}. {one} went back, and {more}.", {
        ...parts,
        mine: mine(words === 1 ? t("one word") : many),
      })
    : words === 1
      ? phrase("{mine} was changed. {one} went back, and {more}.", { ...parts, mine: mine(t("One word")) })
      : phrase("{mine} were changed. {one} went back, and {more}.", { ...parts, mine: mine(many) });
  return { first, second };
}
