/** A model's card as words, and whether a recording was made by that model. Pure. */

import { size as bytes, stageSentence } from "./book.js";
import { t } from "../looks/language.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {Record<string, any>} Card */

/** The beginning of a hash, enough to tell two apart.
 * @param {string} [hash]
 */
export function short(hash) {
  return hash?.startsWith("toy") ? hash : (hash ?? "").slice(0, 8);
}

/** Bits of the numbers that a model computes with, by their type. @type {Record<string, number>} */
const BITS = { fp64: 64, fp32: 32, bf16: 16, fp16: 16, int8: 8, int4: 4 };

/** On what a model thinks.
 * @param {Card} card
 */
export function machineOf({ number, device, threads }) {
  const count = threads === 1 ? t("1 thread") : t("{n} threads", { n: threads ?? 0 });
  const place = device === "cpu" ? t("a processor") : /^(cuda|mps)/.test(device ?? "") ? t("a GPU") : (device ?? "?");
  const where = `${place}${device === "cpu" && threads ? `, ${count}` : ""}`;
  if (number === "") return where; // a server does not say its type
  const bits = BITS[number];
  const dtype = bits ? t("{bits}-bit numbers ({dtype})", { bits, dtype: number }) : (number ?? "?");
  return t("{dtype} on {device}", { dtype, device: where });
}

/** The facts of a card, one for a row.
 * @param {Card} card
 * @returns {[string, string][]}
 */
export function facts(card) {
  const { weights, licence, longest, trained, note, size, fair } = card;
  /** @type {[string, string][]} */
  const rows = [
    ["thinks in", machineOf(card)],
    ["sees", longest ? t("{n} cells at most", { n: longest }) : ""],
    ["takes", size ? t("{size} of memory", { size: bytes(size) }) : ""],
    ["licence", licence || (trained === false ? "" : t("not stated"))],
    ["weights", trained === false ? t("{weights}, not trained", { weights: short(weights) }) : short(weights)],
    ["beside a twin", fair ?? ""],
    ["note", t(note ?? "")],
  ];
  return rows.filter(([, value]) => value);
}

/**
 * One line about what thinks here.
 * @param {Side[]} sides
 * @param {string[]} models that would be opened
 * @param {Record<string, any> | null} loading
 * @param {boolean} [ready] they are open already
 */
export function modelSentence(sides, models, loading, ready = false) {
  const wanted = [...new Set(models)].join(` ${t("and")} `);
  if (loading) return loadingSentence(loading);
  const cards = sides.map((side) => side.head.model).filter(Boolean);
  if (!sides.some((side) => side.source === "live")) {
    const named = [...new Set(cards.map((card) => card.name))].join(` ${t("and")} `);
    const shown = named ? t("You see a recording by {models}.", { models: named }) : t("Nothing is shown yet.");
    const next = ready
      ? t("{models}: open and ready to take over.", { models: wanted })
      : t("Press Run to open {models}.", { models: wanted });
    return `${shown} ${next}`;
  }
  const [one, two] = cards;
  if (!one) return t("Opening {models} …", { models: wanted });
  if (!two || (two.name === one.name && machineOf(two) === machineOf(one)))
    return t("{model} runs here: {machine}.", { model: one.name, machine: machineOf(one) });
  const both = machineOf(one) === machineOf(two);
  return both
    ? t("{one} and {two} run here: {machine}.", { one: one.name, two: two.name, machine: machineOf(one) })
    : `${one.name}: ${machineOf(one)}; ${two.name}: ${machineOf(two)}.`;
}

/** How far the opening of a model has come.
 * @param {Record<string, any>} loading
 */
export function loadingSentence({ model, stage, done, total, seconds_left }) {
  if (stage) return stageSentence({ model, stage, done, total });
  if (!total) return t("Opening {models} …", { models: model });
  const far = { model, percent: Math.floor((100 * done) / total), size: bytes(total) };
  return seconds_left
    ? t("Fetching {model}: {percent} % of {size}, about {n} s left …", { ...far, n: Math.ceil(seconds_left) })
    : t("Fetching {model}: {percent} % of {size} …", far);
}

/**
 * What a recording's weights have to do with those that think here.
 * @param {Card | undefined} card of the recording
 * @param {Set<string>} here hashes of models that are open
 */
export function sameWeights(card, here) {
  if (!card) return "";
  if (!here.size) return t("no model is open yet to compare it with");
  // of its weights a file knows only what is written in it
  return here.has(card.weights ?? "")
    ? t("it says its weights are those here")
    : t("it says its weights are not those here");
}

const SEALS = {
  whole: "",
  edited: "This file was changed after it was written: what it shows may never have happened.",
  none: "This file has no seal, so nobody can tell whether it was changed.",
};

/**
 * What must stand above a recording that somebody opened; nothing above one that is whole and was made here.
 * @param {import("../wire/trace.js").Seal} seal
 * @param {{model?: Card, source?: string}} head of the recording; `source` where another program recorded it
 * @param {Set<string>} here hashes of models that are open
 */
export function bannerOf(seal, { model: card, source }, here) {
  if (source !== undefined) {
    const elsewhere = source ? t("Recorded elsewhere, by {source}.", { source }) : t("Recorded elsewhere.");
    return seal === "edited" ? `${elsewhere} ${t(SEALS.edited)}` : elsewhere;
  }
  const foreign = here.size > 0 && !here.has(card?.weights ?? "");
  return [t(SEALS[seal]), foreign ? t("It says it was made with other weights than those here.") : ""]
    .filter(Boolean)
    .join(" ");
}
