/** In which direction the text of a run is written. Pure. */

import { textOfPieces } from "../looks/bytes.js";
import { OPEN } from "../wire/canvas.js";

/** @typedef {import("../wire/store.js").Side} Side */

/** Whether the text of a run begins in a script that is written from right to left.
 * @param {Side} side
 */
export function fromRight(side) {
  const first = side.moments[0];
  if (!first) return false;
  const pieces = Array.from(first.tokens, (token, cell) =>
    first.kinds[cell] === OPEN ? "" : (side.pieces.get(token) ?? ""),
  );
  const letter = /\p{L}/u.exec(textOfPieces(pieces))?.[0] ?? "";
  return /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(letter);
}
