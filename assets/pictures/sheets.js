/** What a lens has answered, as SVG at projector size: sentences, and a table with its colours. Pure. */

import { PROJECTOR, escaped, sheet, short } from "./svg.js";

/** @typedef {import("./drawing.js").Colours} Colours */
/** @typedef {{text: string, ink?: string, tint?: number, bar?: number}} Cell `tint` and `bar` go to 1 */
/** @typedef {{name: string, cells: Cell[]}} Row */
/** @typedef {{title: string, says: string[], columns: string[], rows: Row[], note: string}} Answer */

const EDGE = 90;
const LETTER = 0.5; // of its height: about how wide a letter is
const NAME = 300; // px for the name of a row

/** A sentence in lines of at most so many letters.
 * @param {string} text
 * @param {number} most
 */
export function wrapped(text, most) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(" ").filter(Boolean)) {
    const last = lines[lines.length - 1];
    if (last !== undefined && last.length + 1 + word.length <= most) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** A text that keeps to its room.
 * @param {string} text
 * @param {number} room in px
 * @param {number} size
 */
export function within(text, room, size) {
  const most = Math.max(1, Math.floor(room / (size * LETTER)));
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/**
 * @param {Answer} answer
 * @param {Colours} colours
 */
export function answerSvg({ title, says, columns, rows, note }, colours) {
  const wide = PROJECTOR.width - 2 * EDGE;
  const lines = says.filter(Boolean).flatMap((text) => wrapped(text, 118));
  const head = lines.map((text, i) => words(EDGE, 156 + i * 42, 30, colours.ink, text));
  const top = 156 + lines.length * 42 + 24;
  const room = PROJECTOR.height - 70 - top;
  const high = Math.min(64, room / (rows.length + 1));
  const across = Math.min(360, (wide - NAME) / Math.max(1, columns.length));
  const size = Math.min(28, high * 0.5, across * 0.34);
  const names = columns.map((name, i) => {
    const text = within(name, across - 10, size);
    return words(EDGE + NAME + (i + 0.5) * across, top + high * 0.65, size, colours["ink-2"], text, "middle", true);
  });
  const body = rows.map(({ name, cells }, row) => {
    const y = top + (row + 1) * high;
    const first = words(EDGE, y + high * 0.65, size, colours.ink, within(name, NAME - 16, size), "start", true);
    const rest = cells.map((cell, i) => boxed(cell, EDGE + NAME + i * across, y, across, high, size, colours));
    const rule = `<path d="M${EDGE} ${short(y)}H${short(EDGE + NAME + columns.length * across)}" stroke="${colours.line}"/>`;
    return [rule, first, ...rest].join("\n");
  });
  const foot = words(EDGE, PROJECTOR.height - 32, 24, colours["ink-2"], within(note, wide, 24));
  return sheet(colours, title, [
    words(EDGE, 92, 44, colours.ink, title, "start", true),
    ...head,
    ...names,
    ...body,
    foot,
  ]);
}

/**
 * @param {Cell} cell
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {number} size
 * @param {Colours} colours
 */
function boxed({ text, ink = "ink", tint = 0, bar }, x, y, width, height, size, colours) {
  const shade = (/** @type {number} */ w, /** @type {number} */ share) =>
    `<rect x="${short(x + 2)}" y="${short(y + 3)}" width="${short(w)}" height="${short(height - 6)}" fill="${colours.accent}" opacity="${share.toFixed(2)}"/>`;
  const back = bar !== undefined ? shade((width - 4) * bar, 0.35) : tint ? shade(width - 4, 0.4 * tint) : "";
  return back + words(x + width / 2, y + height * 0.65, size, colours[ink], text, "middle", ink !== "ink");
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} size
 * @param {string | undefined} ink
 * @param {string} text
 * @param {"start" | "middle"} [anchor]
 * @param {boolean} [bold]
 */
function words(x, y, size, ink, text, anchor = "start", bold = false) {
  const weight = bold ? ' font-weight="700"' : "";
  return `<text x="${short(x)}" y="${short(y)}" font-size="${short(size)}" text-anchor="${anchor}" fill="${ink}"${weight}>${escaped(text)}</text>`;
}
