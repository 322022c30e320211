/** A branch of a live run that plays on the other side: what it is made of, and what becomes of it. Pure. */

import { emptySide } from "./store.js";

/** @typedef {import("./store.js").Side} Side */
/** @typedef {import("./canvas.js").Event} Event */

/**
 * A branch as a side of its own, as far as the page has seen it; null where it has not.
 * @param {Side} side the live run
 * @param {string} name
 * @returns {Side | null}
 */
export function racedOf(side, name) {
  const moments = name === side.branch ? side.moments : side.branches.get(name);
  if (!moments) return null;
  const { head, width, pieces, parts, session } = side;
  const copy = { ...emptySide(), head, width, pieces, parts, moments, title: `Branch ${name}`, branch: name };
  return { ...copy, of: session, source: "replay", done: true };
}

/**
 * A raced branch after its run's branches are others: it has another name, or the server knows it no more.
 * @param {Side} raced
 * @param {Record<string, number>} before the branches by their names
 * @param {Record<string, number>} now
 * @returns {Side}
 */
export function followed(raced, before, now) {
  if (raced.branch in now) return raced;
  const fresh = Object.keys(now).filter((name) => !(name in before));
  const [name] = fresh;
  if (name === undefined || fresh.length > 1) return { ...raced, of: "" };
  return { ...raced, branch: name, title: `Branch ${name}` };
}
