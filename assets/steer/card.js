/** A model's card as words, and whether a recording was made by that model. Pure. */

import { size as bytes } from "./book.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {Record<string, any>} Card */

/** The beginning of a hash, enough to tell two apart.
 * @param {string} [hash]
 */
export function short(hash) {
  return hash?.startsWith("toy") ? hash : (hash ?? "").slice(0, 8);
}

/** On what a model thinks.
 * @param {Card} card
 */
export function machineOf({ number, device, threads }) {
  const cores = device === "cpu" && threads ? `, ${threads} ${threads === 1 ? "thread" : "threads"}` : "";
  return `${number === "" ? "" : `${number ?? "?"} on `}${device ?? "?"}${cores}`; // a server does not say its type
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
    ["sees", longest ? `${longest} cells at most` : ""],
    ["takes", size ? `${bytes(size)} of memory` : ""],
    ["licence", licence || (trained === false ? "" : "not stated")],
    ["weights", trained === false ? `${short(weights)}, not trained` : short(weights)],
    ["beside a twin", fair ?? ""],
    ["note", note ?? ""],
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
  const wanted = [...new Set(models)].join(" and ");
  if (loading) return loadingSentence(loading);
  const cards = sides.map((side) => side.head.model).filter(Boolean);
  if (!sides.some((side) => side.source === "live")) {
    const named = [...new Set(cards.map((card) => card.name))].join(" and ");
    const shown = named ? `You see a recording by ${named}.` : "Nothing is shown yet.";
    return `${shown} ${ready ? `${wanted}: open and ready to take over.` : `Press Run, and ${wanted} will be opened.`}`;
  }
  const [one, two] = cards;
  if (!one) return `Opening ${wanted} …`;
  if (!two || (two.name === one.name && machineOf(two) === machineOf(one)))
    return `${one.name} thinks here: ${machineOf(one)}.`;
  const both = machineOf(one) === machineOf(two);
  return both
    ? `${one.name} and ${two.name} think here: ${machineOf(one)}.`
    : `${one.name}: ${machineOf(one)}; ${two.name}: ${machineOf(two)}.`;
}

/** How far the opening of a model has come.
 * @param {Record<string, any>} loading
 */
export function loadingSentence({ model, done, total, seconds_left }) {
  if (!total) return `Opening ${model} …`;
  const left = seconds_left ? `, about ${Math.ceil(seconds_left)} s left` : "";
  return `Fetching ${model}: ${Math.floor((100 * done) / total)} % of ${(total / 1e9).toFixed(1)} GB${left} …`;
}

/**
 * What a recording's weights have to do with those that think here.
 * @param {Card | undefined} card of the recording
 * @param {Set<string>} here hashes of models that are open
 */
export function sameWeights(card, here) {
  if (!card) return "";
  if (!here.size) return "no model is open yet to compare it with";
  // of its weights a file knows only what is written in it
  return here.has(card.weights ?? "") ? "it says its weights are those here" : "it says its weights are not those here";
}

const SEALS = {
  whole: "",
  edited: "This file was changed after it was written: what it shows may never have happened.",
  none: "This file has no seal, so nobody can tell whether it was changed.",
};

/**
 * What must stand above a recording that somebody opened; nothing above one that is whole and was made here.
 * @param {import("../wire/trace.js").Seal} seal
 * @param {Card | undefined} card
 * @param {Set<string>} here hashes of models that are open
 */
export function bannerOf(seal, card, here) {
  const foreign = here.size > 0 && !here.has(card?.weights ?? "");
  return [SEALS[seal], foreign ? "It says it was made with other weights than those here." : ""]
    .filter(Boolean)
    .join(" ");
}
