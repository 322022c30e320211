/** Whether an edit made the word in a cell, where two branches are compared. Pure. */

import { pieceOf } from "../../assets/cells/face.js";
import { spoken } from "../../assets/looks/glyphs.js";
import { t } from "../../assets/looks/language.js";
import { cellInstead, differing } from "../../assets/views/changes.js";
import { NOTHING, WRITTEN } from "../../assets/wire/canvas.js";

/** @typedef {import("../../assets/wire/store.js").Side} Side */

/**
 * What an edit has to do with the word in a cell; empty where nothing is known.
 * @param {Side} side
 * @param {number} at
 * @param {number} cell
 */
export function causeOf(side, at, cell) {
  const moment = side.moments[at];
  const { comparison } = side;
  if (!comparison || moment?.kinds[cell] !== WRITTEN) return "";
  const other = comparison.two === side.branch ? comparison.one : comparison.two;
  if (!differing(comparison).has(moment.ids[cell] ?? NOTHING))
    return t("Branch {name} has the same word here, so your edit did not cause it.", { name: other });
  const before = side.branches.get(other)?.at(-1);
  const token = before?.tokens[cellInstead(side, before, cell)] ?? NOTHING;
  const caused = t(
    "Your edit caused it: branch {name}, with the same seed and without the edit, has another word here.",
    { name: other },
  );
  if (token === NOTHING) return caused;
  return `${caused} ${t("There stands “{word}”.", { word: spoken(pieceOf(side, token)) })}`;
}
