/** From what a person presses to the edit it means, given what stands in the selected cells. Pure. */

import { NOTHING, OPEN } from "./wire.js";

/** @typedef {import("./moment.js").Moment} Moment */
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
    case "erase":
      return { do: act, cells };
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
 * What stands in a cell, or what the model would write there.
 * @param {Moment} moment
 * @param {number} cell
 */
function standing(moment, cell) {
  return (moment.kinds[cell] === OPEN ? moment.guess[cell] : moment.tokens[cell]) ?? NOTHING;
}
