/** Pieces that are parts of a letter: the engine spells such bytes `<0xF0>`, and here they become letters again. Pure. */

const BYTE = /<0x([0-9A-F]{2})>/g;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });
const MOST = 12; // cells that one letter may be spread over

/** Whether a piece holds bytes that are no whole letter.
 * @param {string} piece
 */
export function isPart(piece) {
  return piece.includes("<0x") && piece.search(BYTE) >= 0;
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

/**
 * Where pieces in a row become letters: for each group where it begins, how many cells it takes, and its text.
 * @param {(string | null)[]} pieces of every cell; null where nothing stands
 * @returns {{from: number, cells: number, text: string}[]}
 */
export function groupsOf(pieces) {
  /** @type {{from: number, cells: number, text: string}[]} */
  const groups = [];
  for (let from = 0; from < pieces.length; from++) {
    const first = pieces[from];
    if (!first || !isPart(first)) continue;
    for (let cells = 2; cells <= MOST && from + cells <= pieces.length; cells++) {
      const row = pieces.slice(from, from + cells);
      if (row.includes(null)) break;
      const text = lettersOf(/** @type {string[]} */ (row));
      if (text === null) continue;
      groups.push({ from, cells, text });
      from += cells - 1;
      break;
    }
  }
  return groups;
}

/** How bytes are shown that no letter was made of.
 * @param {string} piece
 */
export function bare(piece) {
  return piece.replace(BYTE, "‹$1›");
}
