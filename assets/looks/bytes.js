/** Pieces that are parts of a sign: bytes, which the engine spells `<0xF0>`, and letters that are read as one. Pure. */

const BYTE = /<0x([0-9A-F]{2})>/g;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });
const MOST = 24; // cells that one sign may be spread over

/** Whether a piece holds bytes that are no whole letter.
 * @param {string} piece
 */
export function isPart(piece) {
  return piece.includes("<0x") && piece.search(BYTE) >= 0;
}

/** Whether a piece may be read as one sign with the piece before it: it begins with what changes another letter.
 * @param {string} piece
 */
export function mayJoin(piece) {
  return JOINING.test(piece);
}

/** The bytes of a piece.
 * @param {string} piece
 */
function bytesOf(piece) {
  return piece.split(BYTE).flatMap((part, i) => (i % 2 ? [parseInt(part, 16)] : [...encoder.encode(part)]));
}

/** The text of pieces together; null while a letter in it is not whole.
 * @param {string[]} pieces
 */
export function lettersOf(pieces) {
  try {
    return decoder.decode(Uint8Array.from(pieces.flatMap(bytesOf)));
  } catch {
    return null;
  }
}

/** The text of pieces, with a mark for what is no letter.
 * @param {string[]} pieces
 */
export function textOfPieces(pieces) {
  if (!pieces.some(isPart)) return pieces.join("");
  return new TextDecoder().decode(Uint8Array.from(pieces.flatMap(bytesOf)));
}

/** @typedef {{from: number, cells: number, text: string}} Group cells in a row that are read as one */

/**
 * Where pieces in a row become letters: bytes become the letter they spell, and what a reader sees as one sign (a
 * flag, a family, a letter with its accent) is one group, however many pieces it has.
 * @param {(string | null)[]} pieces of every cell; null where nothing stands
 * @returns {Group[]} those of more than one cell
 */
export function groupsOf(pieces) {
  /** @type {Group[]} */
  const groups = [];
  /** @type {Group[]} */
  let row = [];
  for (let at = 0; at < pieces.length;) {
    const group = spelledAt(pieces, at);
    if (group) row.push(group);
    else {
      groups.push(...signs(row));
      row = [];
    }
    at += group?.cells ?? 1;
  }
  return [...groups, ...signs(row)].filter(({ cells }) => cells > 1);
}

/**
 * What the cells from here on spell: a piece, or the letter of some bytes; null where there is neither.
 * @param {(string | null)[]} pieces
 * @param {number} from
 * @returns {Group | null}
 */
function spelledAt(pieces, from) {
  const first = pieces[from];
  if (first === null || first === undefined) return null;
  if (!isPart(first)) return { from, cells: 1, text: first };
  for (let cells = 2; cells <= MOST && from + cells <= pieces.length; cells++) {
    const row = pieces.slice(from, from + cells);
    if (row.includes(null)) return null;
    const text = lettersOf(/** @type {string[]} */ (row));
    if (text !== null) return { from, cells, text };
  }
  return null;
}

const segments = new Intl.Segmenter("en", { granularity: "grapheme" });
const JOINING = /^[\p{M}\p{Cf}\p{Emoji_Modifier}\p{Regional_Indicator}\u1160-\u11ff]|\u200d$/u; // jamo too
const PLAIN = /^[\0-\x7f]*$/;

/**
 * Groups in a row, joined where the line between two of them would cut a sign.
 * @param {Group[]} row
 * @returns {Group[]}
 */
function signs(row) {
  const text = row.map((group) => group.text).join("");
  if (PLAIN.test(text)) return row;
  const begins = new Set(Array.from(segments.segment(text), ({ index }) => index));
  /** @type {Group[]} */
  const joined = [];
  let at = 0;
  for (const group of row) {
    const last = joined.at(-1);
    const cuts = last !== undefined && group.text !== "" && !begins.has(at) && !PLAIN.test(last.text + group.text);
    if (last && cuts && last.cells + group.cells <= MOST) {
      joined[joined.length - 1] = { from: last.from, cells: last.cells + group.cells, text: last.text + group.text };
    } else joined.push(group);
    at += group.text.length;
  }
  return joined;
}

/** How bytes are shown that no letter was made of.
 * @param {string} piece
 */
export function bare(piece) {
  return piece.replace(BYTE, "‹$1›");
}
