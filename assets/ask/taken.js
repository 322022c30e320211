/** What stands on the stage as a text to go on with: its prompt, and gaps where cells are open. Pure. */

import { textOfPieces } from "../looks/bytes.js";
import { textEnd } from "../wire/timeline.js";
import { GIVEN, NOTHING, OPEN } from "../wire/canvas.js";
import { templateOf } from "../cells/template.js";

/** @typedef {import("../wire/store.js").Side} Side */

/**
 * The text up to its end, and the part at its front that is still the prompt's.
 * @param {Side} side
 * @param {number} at
 * @param {number[]} [opened] cells that are to be written anew
 */
export function takenText(side, at, opened = []) {
  const moment = side.moments[at];
  if (!moment) return { text: "", prompt: "" };
  const ends = /** @type {number[]} */ (side.head.ends ?? []);
  const stops = textEnd(moment, ends);
  const template = templateOf(side);
  /** @type {string[]} */
  let pieces = [];
  let [text, prompt, front, gap] = ["", "", true, 0];
  const close = () => {
    text += textOfPieces(pieces);
    pieces = [];
    if (gap) text += `${text && !/\s$/.test(text) ? " " : ""}[MASK:${gap}]`;
    gap = 0;
  };
  for (let cell = 0; cell < stops; cell++) {
    const token = moment.tokens[cell] ?? NOTHING;
    const open = moment.kinds[cell] === OPEN || opened.includes(cell);
    if (front && (open || moment.kinds[cell] !== GIVEN)) {
      prompt = textOfPieces(pieces);
      front = false;
    }
    if (open) {
      if (!gap) close();
      gap++;
    } else if (template?.breaks.has(cell)) pieces.push("\n");
    else if (token !== NOTHING && !ends.includes(token) && !template?.hidden.has(cell)) {
      if (gap) close();
      pieces.push(side.pieces.get(token) ?? "");
    }
  }
  close();
  if (front) prompt = text;
  const begins = text.length - text.trimStart().length;
  return { text: text.slice(begins), prompt: prompt.slice(begins) };
}
