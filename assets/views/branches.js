/** The branches of a run: where each is drawn, what a person did on it, and what two of them disagree about. Pure. */

import { t } from "../looks/language.js";
import { changesOf } from "./changes.js";

/**
 * @typedef {{name: string, end: number, left: string, since: number}} Branch
 * @typedef {"switch" | "compare" | "race" | "rename" | "drop"} BranchAct
 */

export const WIDE = 120;

/**
 * Where each branch is drawn: along time, from the moment it left another to its newest one. Pure.
 * @param {Branch[]} branches
 */
export function lines(branches) {
  const last = Math.max(1, ...branches.map(({ end }) => end));
  const place = (/** @type {number} */ moment) => Math.round((moment / last) * WIDE);
  return branches.map(({ name, end, left, since }, row) => {
    const parent = Math.max(
      0,
      branches.findIndex((one) => one.name === left),
    );
    return { name, row, parent: left ? parent : row, from: place(left ? since : 0), to: place(end) };
  });
}

/**
 * What two branches disagree about, in a sentence or two. Pure.
 * @param {Record<string, any>} comparison the answer to `compare`
 * @param {(token: number) => string} piece
 */
export function differenceOf(comparison, piece) {
  const { one, two, changed = [], only_one: fewer = [], only_two: more = [], edits = [[], []] } = comparison;
  const count = changed.length + fewer.length + more.length;
  const acts = (/** @type {any[]} */ made) => made.map((edit) => actOf(edit, piece)).join(`, ${t("then")} `);
  const on = (/** @type {string} */ name, /** @type {any[]} */ made) =>
    made.length ? ` ${t("On branch {name} you {acts}.", { name, acts: acts(made) })}` : "";
  const rest = `${on(two, edits[1])}${on(one, edits[0])}`;
  if (!count) return `${t("Branches {one} and {two} have the same words.", { one, two })}${rest}`;
  const first = Math.min(...changed.map((/** @type {[number, number]} */ [, since]) => since));
  const differ =
    count === 1
      ? t("1 cell differs between branches {one} and {two}.", { one, two })
      : t("{n} cells differ between branches {one} and {two}.", { n: count, one, two });
  if (!Number.isFinite(first)) return `${differ}${rest}`;
  const since = first
    ? t("The first differs {n} looks after they part.", { n: first })
    : t("The first differs at once.");
  return `${differ} ${since}${rest}`;
}

/**
 * @param {Record<string, any>} edit
 * @param {(token: number) => string} piece
 */
function actOf(edit, piece) {
  const words = (/** @type {number[]} */ tokens) => `“${tokens.map(piece).join("").trim()}”`;
  switch (edit.do) {
    case "pin":
      return t("pinned {words}", { words: words(edit.tokens) });
    case "ban":
      return edit.lift
        ? t("allowed {words}", { words: words([edit.token]) })
        : t("banned {words}", { words: words([edit.token]) });
    case "boost":
      return t("boosted {words}", { words: words([edit.token]) });
    case "erase":
      return edit.cells.length === 1 ? t("erased a word") : t("erased {n} words", { n: edit.cells.length });
    case "release":
      return t("released a pin");
    case "stretch":
      return edit.by > 0 ? t("inserted {n} cells", { n: edit.by }) : t("removed {n} cells", { n: -edit.by });
    default:
      return t("changed a setting");
  }
}

/** A change as a noun: the words that were set, or what else was done.
 * @param {Record<string, any>} edit
 * @param {(token: number) => string} piece
 */
export function nameOfChange(edit, piece) {
  const words = (/** @type {number[]} */ tokens) => `“${tokens.map(piece).join("").trim()}”`;
  switch (edit.do) {
    case "pin":
      return words(edit.tokens);
    case "ban":
      return edit.lift ? t("{words} allowed", { words: words([edit.token]) }) : t("never {words}", { words: words([edit.token]) }); // prettier-ignore
    case "boost":
      return edit.amount < 0 ? t("less {words}", { words: words([edit.token]) }) : t("more {words}", { words: words([edit.token]) }); // prettier-ignore
    case "erase":
      return edit.cells.length === 1 ? t("a word erased") : t("{n} words erased", { n: edit.cells.length });
    case "stretch":
      return edit.by > 0 ? t("{n} cells inserted", { n: edit.by }) : t("{n} cells removed", { n: -edit.by });
    default:
      return t("another setting");
  }
}

/** What a person changed on a branch, or where it begins; empty where neither is known here.
 * @param {import("../wire/store.js").Side} side
 * @param {Branch} branch
 */
export function nameOfBranch(side, { name, left, since }) {
  const moments = (name === side.branch ? side.moments : side.branches.get(name)) ?? [];
  const changes = changesOf({ ...side, moments });
  const piece = (/** @type {number} */ token) => side.pieces.get(token) ?? "";
  if (changes.length) return t("with {changes}", { changes: changes.map(({ edit }) => nameOfChange(edit, piece)).join(", ") }); // prettier-ignore
  if (!left) return t("the first text");
  const look = moments[since]?.passes;
  if (look === undefined) return "";
  return look ? t("from look {look}", { look }) : t("from the start");
}
