/** How a token's text is shown in a cell: nothing invisible stays invisible, and nothing is read as anything but text. */

import { bare as bareBytes, isPart } from "./bytes.js";
import { t } from "./language.js";

const NAMED = new Map([
  ["\n", "⏎"],
  ["\r", "␍"],
  ["\t", "⇥"],
  ["\u00a0", "⍽"],
  ["\u200d", "ZWJ"],
  ["\u200b", "ZWSP"],
  ["\ufeff", "BOM"],
]);
const GLUED = /(?<=\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?)\u200d(?=\p{Extended_Pictographic})/u; // seen by what it joins
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u00a0]/u;

/**
 * @param {string} piece
 * @returns {string}
 */
export function shownAs(piece) {
  if (piece === "") return "∅";
  const mark = SPECIAL.exec(piece);
  if (mark) return (mark[1] ?? mark[2] ?? mark[3] ?? "").toLowerCase().replaceAll("_", " ");
  if (isPart(piece)) return bareBytes(piece.trimStart());
  if (/^ +$/.test(piece)) return "␣".repeat(piece.length);
  const bare = piece.startsWith(" ") ? piece.slice(1) : piece;
  if (!HIDDEN.test(bare)) return bare;
  return bare.split(GLUED).map(named).join("\u200d");
}

/** A text with what cannot be seen called by its name.
 * @param {string} text
 */
function named(text) {
  return Array.from(text, (letter) => {
    if (!HIDDEN.test(letter)) return letter;
    const code = letter.codePointAt(0) ?? 0;
    if (NAMED.has(letter)) return NAMED.get(letter);
    return code < 32 ? String.fromCodePoint(0x2400 + code) : `‹${code.toString(16).toUpperCase().padStart(4, "0")}›`;
  }).join("");
}

const SPECIAL = /^(?:<\|(.+)\|>|<(\/?s|pad|unk|mask|end|bos|eos)>|\[(MASK|PAD|CLS|SEP|UNK)\])$/;

/** Whether a piece is a mark of the model's and no text.
 * @param {string} piece
 */
export function isSpecial(piece) {
  return SPECIAL.test(piece);
}

/** Whether a piece goes on with the word before it.
 * @param {string} piece
 */
export function joins(piece) {
  return piece !== "" && !/^\s/.test(piece);
}

/** How a screen reader should say a piece.
 * @param {string} piece
 */
export function spoken(piece) {
  if (piece === "") return t("empty");
  if (isPart(piece)) return t("part of a letter");
  if (/^\n+$/.test(piece)) return t("line break");
  if (/^\s+$/.test(piece)) return t("space");
  return shownAs(piece);
}
