/** Where each word of a text stands, and how large its letters may be. Lengths are in em. Pure. */

/** @typedef {import("./face.js").Face} Face */
/** @typedef {(text: string) => number} Measure how wide a text is, in em */
/** @typedef {{x: number, line: number, width: number}} Place */
/** @typedef {{at: (Place | undefined)[], lines: number, end: {x: number, line: number}}} Placed */

const SPACE = 0.27; // between words
const SLOT = 1.5; // of an open cell without a guess
const LETTER = 0.75; // the same where a token is a letter

/** @param {Face} face */
const isGiven = ({ look }) => / given\b/.test(look);

/**
 * Which cells are drawn: up to the end of the text, without those that hold no word. A guess that the text ends counts only where nothing is written behind it.
 * Words that were given are always drawn, also after an end that the model wrote before them.
 * A model that writes from left to right has no places, only a next one.
 * @param {Face[]} row
 * @param {boolean} causal
 * @returns {boolean[]}
 */
export function drawnCells(row, causal) {
  let stop = row.findIndex((face) => face.ended && !face.open && !isGiven(face));
  if (stop < 0) {
    const last = row.findLastIndex(({ open }) => !open);
    stop = row.findIndex(({ ended, open }, cell) => ended && open && cell > last);
  }
  if (stop < 0) stop = row.length;
  return row.map((face, cell) => {
    if (face.silent || (cell >= stop && !isGiven(face))) return false;
    return !causal || !face.open || / (selected|pending)\b/.test(face.look);
  });
}

/** Open cells without a guess take no room at the end: what stands there is not known yet.
 * @param {Face[]} row
 * @param {boolean[]} drawn
 */
export function withoutBlanks(row, drawn) {
  const last = row.findLastIndex(({ open, text }, cell) => drawn[cell] && (!open || text !== ""));
  return drawn.map((shown, cell) => shown && cell <= last);
}

/**
 * Words flow; none breaks, and what has no space before it stays with its word.
 * @param {Face[]} row
 * @param {boolean[]} drawn
 * @param {number} width
 * @param {Measure} measure
 * @returns {Placed}
 */
export function places(row, drawn, width, measure) {
  /** @type {Placed["at"]} */
  const at = new Array(row.length);
  let x = 0;
  let line = 0;
  /** @type {[number, number][]} */
  let word = [];
  let wide = 0;
  const put = () => {
    if (!word.length) return;
    if (x > 0 && x + SPACE + wide > width) [x, line] = [0, line + 1];
    else if (x > 0) x += SPACE;
    for (const [cell, own] of word) {
      if (wide > width && x > 0 && x + own > width) [x, line] = [0, line + 1]; // a word longer than a line
      at[cell] = { x, line, width: own };
      x += own;
    }
    [word, wide] = [[], 0];
  };
  const wrap = (/** @type {number} */ times) => {
    put();
    [x, line] = [0, line + Math.min(2, times)];
  };
  for (const [cell, face] of row.entries()) {
    if (!drawn[cell]) continue;
    const { ink } = face;
    const own = ink ? measure(ink) : face.open ? (face.joined ? LETTER : SLOT) : 0;
    const first = face.breaks > 0 && ink !== "" && face.text.startsWith("⏎");
    if (first) wrap(face.breaks);
    if (!(ink || face.open) || !face.joined) put();
    word.push([cell, own]);
    wide += own;
    if (face.breaks && !first) wrap(face.breaks);
  }
  put();
  return { at, lines: line + 1, end: { x, line } };
}

/**
 * @typedef {object} Room
 * @property {number} width px
 * @property {number} height px
 * @property {number} slip px that a slip between two lines takes; 0 where none comes
 * @property {number} popover px
 */

/**
 * The largest letters with which every text fits its room, and between them a slip. From the largest down, for the number of
 * lines jumps: halving would miss the best.
 * @param {(size: number) => number[]} linesAt the most lines of each room's texts at a size of letters
 * @param {Room[]} rooms
 * @param {{most: number, least: number, pitch: number}} sizes
 */
export function largest(linesAt, rooms, { most, least, pitch }) {
  const fits = (/** @type {number} */ size) =>
    linesAt(size).every((lines, i) => {
      const { height, slip, popover } = /** @type {Room} */ (rooms[i]);
      const between = !slip || (lines * size * 1.3 + slip <= height && lines * size * 1.14 + popover <= height);
      return lines * size * pitch <= height && between;
    });
  let size = Math.max(least, most);
  while (size > least && !fits(size)) size -= 0.5;
  return Math.max(least, size);
}
