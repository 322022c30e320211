/** From what a person presses to the edit it means, given what stands in the selected cells. Pure. */

import { NOTHING, OPEN } from "../wire/canvas.js";

/** @typedef {import("../wire/timeline.js").Moment} Moment */
/** @typedef {"pin" | "release" | "erase" | "ban" | "boost" | "insert" | "remove"} Edit */

const LIFT = 4; // what a boost adds to a word's logit

/**
 * The edit as a message, or a sentence about what is missing.
 * @param {Edit} act
 * @param {Moment} moment
 * @param {number[]} cells selected, in order
 * @param {string} text typed
 * @returns {Record<string, any> | string}
 */
export function messageOf(act, moment, cells, text) {
  const cell = cells[0];
  const typed = text.trim() !== "";
  if (cell === undefined && !(typed && (act === "ban" || act === "boost"))) return "Select a cell first.";
  const tokens = cells.map((c) => standing(moment, c));
  const word = typed ? { text } : { token: tokens[0] ?? NOTHING };
  const unknown = !typed && tokens.includes(NOTHING);
  switch (act) {
    case "pin":
      if (unknown) return "Type a word to pin: the model has no guess for this cell yet.";
      return typed ? { do: "pin", at: cell, text } : { do: "pin", cells, tokens };
    case "release":
      return { do: act, cells };
    case "erase":
      return { do: act, cells, differently: true };
    case "ban":
      return unknown ? "Type the word to ban: nothing stands in this cell." : { do: "ban", ...word };
    case "boost":
      return unknown ? "Type the word to boost: nothing stands in this cell." : { do: "boost", ...word, amount: LIFT };
    case "insert":
      return { do: "stretch", at: cell, by: 1 };
    case "remove":
      return { do: "stretch", at: cell, by: -cells.length };
  }
}

/**
 * What became of an edit, in a sentence.
 * @param {Record<string, any>} edit
 * @param {(...tokens: number[]) => string} say how tokens are said
 */
export function doneOf(edit, say) {
  const cells = /** @type {number[]} */ (edit.cells ?? []);
  const where = cells.length > 1 ? `cells ${cells[0]}–${cells[cells.length - 1]}` : `cell ${cells[0]}`;
  switch (edit.do) {
    case "pin":
      return `Pinned “${say(...edit.tokens)}” in ${where}.`;
    case "release":
      return `The model decides ${where} again.`;
    case "erase":
      return cells.length > 1 ? `Opened ${where} again.` : `Opened ${where} again: its word is forgotten.`;
    case "ban":
      return edit.lift ? `“${say(edit.token)}” is allowed again.` : `“${say(edit.token)}” is banned from now on.`;
    case "boost":
      return `“${say(edit.token)}” is ${edit.amount < 0 ? "less likely" : "likelier"} from now on.`;
    case "stretch":
      if (edit.own)
        return edit.by > 0
          ? `The model asked for ${edit.by === 1 ? "one cell" : `${edit.by} cells`} more.`
          : `The model gave back ${edit.by === -1 ? "a cell" : `${-edit.by} cells`} that it did not need.`;
      return edit.by > 0
        ? `Inserted ${edit.by === 1 ? "a cell" : `${edit.by} cells`} before cell ${edit.at}.`
        : `Took out ${edit.by === -1 ? "a cell" : `${-edit.by} cells`} at cell ${edit.at}.`;
    default:
      return "";
  }
}

/**
 * What stands in a cell, or what the model would write there.
 * @param {Moment} moment
 * @param {number} cell
 */
function standing(moment, cell) {
  return (moment.kinds[cell] === OPEN ? moment.guess[cell] : moment.tokens[cell]) ?? NOTHING;
}
