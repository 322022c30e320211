/** A run as a table: a row for each cell at each moment, for a spreadsheet or a notebook. Pure. */

import { GIVEN, NOTHING, OPEN, OWN, PINNED } from "../../assets/wire/canvas.js";
import { field } from "../../assets/looks/csv.js";
import { shownAs } from "../../assets/looks/glyphs.js";
import { t } from "../../assets/looks/language.js";

/** @typedef {import("../../assets/wire/store.js").Side} Side */

const MOST = 500_000; // rows
const HEAD = "side,moment,made_by,pass,cell,cell_name,state,token,text,confidence,guess,guess_text,guess_probability";

/**
 * @param {Side[]} sides
 * @param {string[]} names
 */
export function csvOf(sides, names) {
  const count = sides.reduce((sum, { moments }) => sum + moments.reduce((n, { tokens }) => n + tokens.length, 0), 0);
  if (!count) throw new Error(t("There is no run to take away yet."));
  if (count > MOST)
    throw new Error(t("This would be a table of {n} rows, and {most} can be opened.", { n: count, most: MOST }));
  const rows = [HEAD];
  sides.forEach((side, i) => {
    const text = (/** @type {number} */ token) => (token === NOTHING ? "" : (side.pieces.get(token) ?? `<${token}>`));
    side.moments.forEach((moment, at) => {
      for (let cell = 0; cell < moment.tokens.length; cell++) {
        const kind = moment.kinds[cell];
        const [token, guess] = [moment.tokens[cell] ?? NOTHING, moment.guess[cell] ?? NOTHING];
        const open = kind === OPEN;
        const fixed = kind === GIVEN ? "given" : kind === OWN ? "own" : kind === PINNED ? "pinned" : "";
        const state = fixed || (open ? "open" : "written");
        const written = state === "written" ? Number((moment.confidence[cell] ?? 0).toFixed(4)) : "";
        const believed = guess === NOTHING ? ["", "", ""] : [guess, shownAs(text(guess)), share(moment.sure[cell])];
        const known = [names[i] ?? "", at, moment.kind, moment.passes, cell, moment.ids[cell] ?? cell, state];
        const stands = open ? ["", ""] : [token, shownAs(text(token))];
        rows.push([...known, ...stands, written, ...believed].map(field).join(","));
      }
    });
  });
  return `${rows.join("\r\n")}\r\n`;
}

/** @param {number | undefined} sure in 255ths */
function share(sure) {
  return Number(((sure ?? 0) / 255).toFixed(3));
}
