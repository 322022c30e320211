/** Pieces that read as one word stand on one line: each asks for the room of those that lean on it. Pure. */

import { widthOf } from "../takeaway/drawing.js";

/** @typedef {import("./painter.js").Face} Face */

const LONGEST = 8; // em; a longer chain would leave a phone's lines half empty, and is broken
const END = 0.4; // em of a cell behind its text, and a little more: letters differ
const GAP = 0.3; // em between cells
const PART = 0.55; // em of a cell that holds a later part of one letter

/**
 * How much room a cell keeps for the pieces behind it, and a piece takes back from the cell before it.
 * @param {Face[]} row changed in place: a face that comes out alike stays the same object
 */
export function chain(row) {
  let room = 0; // of the pieces that lean on the cell in hand
  for (let cell = row.length - 1; cell >= 0; cell--) {
    const face = /** @type {Face} */ (row[cell]);
    const after = face.breaks ? 0 : room;
    const seen = !/ rest\b/.test(face.look);
    const joined = / joined\b/.test(face.look);
    const rear = / rear\b/.test(face.look);
    const leans = seen && (joined || face.breaks); // a line break ends its row: it begins none either
    const own = rear ? PART : widthOf(face.text) + END + (joined ? 0 : END + GAP);
    const mine = leans ? after + own : 0;
    const apart = mine > LONGEST && !rear;
    room = apart ? 0 : mine;
    const bare = face.look.replace(" apart", "");
    const look = apart ? `${bare} apart` : bare;
    if (face.after !== after || face.before !== room || face.look !== look)
      row[cell] = { ...face, after, before: room, look };
  }
}
