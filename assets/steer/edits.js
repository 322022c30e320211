/** From what a person presses to the edit it means, given what stands in the selected cells. Pure. */

import { NOTHING, OPEN } from "../wire/canvas.js";
import { t } from "../looks/language.js";

/** @typedef {import("../wire/timeline.js").Moment} Moment */
/** @typedef {"pin" | "release" | "erase" | "ban" | "allow" | "boost" | "plain" | "insert" | "remove"} Edit */

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
  if (cell === undefined && !(typed && (act === "ban" || act === "boost"))) return t("Select a cell first.");
  const tokens = cells.map((c) => standing(moment, c));
  const word = typed ? { text } : { token: tokens[0] ?? NOTHING };
  const unknown = !typed && tokens.includes(NOTHING);
  switch (act) {
    case "pin":
      if (unknown) return t("Type a word to pin: the model has no guess for this cell yet.");
      return typed ? { do: "pin", at: cell, text } : { do: "pin", cells, tokens };
    case "release":
      return { do: act, cells };
    case "erase":
      return { do: act, cells, differently: true };
    case "ban":
      return unknown ? t("Type the word to ban: nothing stands in this cell.") : { do: "ban", ...word };
    case "boost":
      return unknown
        ? t("Type the word to boost: nothing stands in this cell.")
        : { do: "boost", ...word, amount: LIFT };
    case "allow":
      return { do: "ban", ...word, lift: true };
    case "plain":
      return { do: "boost", ...word, amount: 0 };
    case "insert":
      return { do: "stretch", at: cell, by: cells.length };
    case "remove":
      return { do: "stretch", at: cell, by: -cells.length };
  }
}

/** Whether an edit of a person leaves empty places.
 * @param {Record<string, any>} edit
 */
export function opensCells(edit) {
  return edit.do === "erase" || (edit.do === "stretch" && !edit.own && edit.by > 0);
}

/**
 * What became of an edit, in a sentence.
 * @param {Record<string, any>} edit
 * @param {(...tokens: number[]) => string} say how tokens are said
 */
export function doneOf(edit, say) {
  const cells = /** @type {number[]} */ (edit.cells ?? []);
  const where =
    cells.length > 1
      ? t("cells {first} to {last}", { first: cells[0] ?? 0, last: cells[cells.length - 1] ?? 0 })
      : t("cell {cell}", { cell: cells[0] ?? 0 });
  const many = Math.abs(edit.by) === 1 ? t("one cell") : t("{n} cells", { n: Math.abs(edit.by) });
  switch (edit.do) {
    case "pin":
      return t("Pinned “{word}” in {where}.", { word: say(...edit.tokens), where });
    case "release":
      return t("The model decides {where} again.", { where });
    case "erase":
      return cells.length > 1
        ? t("Opened {where} again.", { where })
        : t("Opened {where} again: its word is forgotten.", { where });
    case "ban":
      return edit.lift
        ? t("“{word}” is allowed again.", { word: say(edit.token) })
        : t("“{word}” is banned from now on.", { word: say(edit.token) });
    case "boost":
      return edit.amount < 0
        ? t("“{word}” is less likely from now on.", { word: say(edit.token) })
        : t("“{word}” is likelier from now on.", { word: say(edit.token) });
    case "stretch":
      if (edit.own)
        return edit.by > 0
          ? t("The model asked for more: {cells}.", { cells: many })
          : t("The model gave back what it did not need: {cells}.", { cells: many });
      if (edit.by === 1) return t("Opened an empty place before cell {cell}.", { cell: edit.at });
      return edit.by > 0
        ? t("Opened {n} empty places before cell {cell}.", { n: edit.by, cell: edit.at })
        : t("Took out {cells} at cell {cell}.", { cells: many, cell: edit.at });
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
