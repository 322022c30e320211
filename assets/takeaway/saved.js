/** A file that a person takes away, and the colours that it is drawn in. */

import { colour, el } from "../looks/dom.js";
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
  return `${name} is saved.`;
}

/** @type {Map<string, number>} */
const widths = new Map();
let family = "";
/** @type {CanvasRenderingContext2D | null} */
let pen = null;

/** The page's letters for texts. */
export function serif() {
  return (family ||= colour("serif") || "serif");
}

/** How wide a text is in these letters, in em.
 * @param {string} text
 * @param {boolean} [bold]
 */
export function measured(text, bold = false) {
  const key = `${bold} ${text}`;
  const known = widths.get(key);
  if (known !== undefined) return known;
  pen ??= document.createElement("canvas").getContext("2d");
  if (!pen) return text.length / 2;
  pen.font = `${bold ? "700 " : ""}200px ${serif()}`;
  const width = pen.measureText(text).width / 200;
  if (widths.size > 20_000) widths.clear();
  widths.set(key, width);
  return width;
}
