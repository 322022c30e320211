/** A file that a person takes away, and the colours that it is drawn in. */

import { colour, el } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { COLOURS } from "./drawing.js";

/** The colours of the present theme. */
export function coloursNow() {
  return Object.fromEntries(COLOURS.map((name) => [name, colour(name)]));
}

/**
 * @param {string} name
 * @param {string} type
 * @param {BlobPart} content
 */
export function saved(name, type, content) {
  const href = URL.createObjectURL(new Blob([content], { type }));
  el("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
  return t("{name} is saved.", { name });
}
