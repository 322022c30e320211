/** The letters of the texts, and how wide a text is in them; each is measured once. */

import { colour } from "./dom.js";

const MOST = 20_000; // texts that are remembered

/** @type {Map<string, number>} */
const widths = new Map();
/** @type {CanvasRenderingContext2D | null} */
let pen = null;

/** The fonts of the texts. */
export function serif() {
  return colour("serif") || "serif";
}

/** The width of a text, in em.
 * @param {string} text
 * @param {boolean} [bold]
 */
export function widthInSerif(text, bold = false) {
  const key = `${bold}/${text}`;
  const known = widths.get(key);
  if (known !== undefined) return known;
  pen ??= document.createElement("canvas").getContext("2d");
  if (!pen) return text.length / 2;
  pen.font = `${bold ? "700 " : ""}200px ${serif()}`;
  const width = pen.measureText(text).width / 200;
  if (widths.size > MOST) widths.clear();
  widths.set(key, width);
  return width;
}
