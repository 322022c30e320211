/** What the map shows of every place in every look: the name of a colour each. Pure. */

import { faces } from "../cells/face.js";
import { drawnCells } from "../cells/places.js";
import { GIVEN, NOTHING, OPEN, OWN, PINNED, unpacked } from "../wire/canvas.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {"confidence" | "entropy" | "order"} Shows */
/** @typedef {{colour: string, says: string}} Key a colour and what it means; `heat` is the whole scale */

export const STEPS = 7; // of heat in colours.css
const [WRITTEN, STANDS, REPLACED, YOURS] = ["ink", "soft", "doubt", "mark"];

/** @type {Key[]} */
const KINDS = [
  { colour: WRITTEN, says: "written in this look" },
  { colour: STANDS, says: "stands" },
  { colour: REPLACED, says: "replaced or taken back" },
  { colour: "card", says: "no guess in this look" },
];

/** What can be shown, with its key.
 * @type {{shows: Shows, text: string, says: string, key: Key[]}[]}
 */
export const SHOWS = [
  {
    shows: "confidence",
    text: "how sure",
    says: "How sure the model is of its guess in each place.",
    key: [{ colour: "heat", says: "a guess: the stronger, the surer" }, ...KINDS],
  },
  {
    shows: "entropy",
    text: "how undecided",
    says: "Between how many words the model still wavers in each place.",
    key: [{ colour: "heat", says: "open: from one word to about 55 (4 nats)" }, ...KINDS],
  },
  {
    shows: "order",
    text: "when written",
    says: "When each place was written.",
    key: [{ colour: "heat", says: "from the first look to the last" }],
  },
];
export const AID = "A row is a look, from top to bottom; a column is a place in the text.";

/**
 * One row of the map: the name of each place's colour, empty where nothing is known.
 * @param {Side} side
 * @param {number} at
 * @param {Shows} shows
 * @returns {string[]}
 */
export function mapRow(side, at, shows) {
  const moment = side.moments[at];
  if (!moment) return [];
  const before = side.moments[at - 1];
  const packed = shows === "entropy" ? moment.event?.e : undefined;
  const entropy = packed ? unpacked(packed, 1) : null;
  const newest = Math.max(1, side.moments.length - 1);
  const fresh = new Set(moment.fresh);
  const guess = (/** @type {number} */ cell) => {
    if (moment.guess[cell] === NOTHING) return "";
    if (shows === "confidence") return heat((moment.sure[cell] ?? 0) / 255);
    return entropy ? heat((entropy[cell] ?? 0) / 128) : "";
  };
  return Array.from(moment.kinds, (kind, cell) => {
    if (kind === GIVEN || kind === OWN) return "";
    if (shows === "order") return kind === OPEN ? "" : heat((moment.since[cell] ?? 0) / newest);
    const changed =
      before?.ids[cell] === moment.ids[cell] && (moment.changes[cell] ?? 0) > (before?.changes[cell] ?? 0);
    if (changed) return REPLACED;
    if (kind === OPEN) return guess(cell);
    if (kind === PINNED) return moment.since[cell] === at ? YOURS : STANDS;
    return fresh.has(cell) ? WRITTEN : STANDS;
  });
}

/** @param {number} value from 0 to 1 */
function heat(value) {
  return `heat-${Math.max(0, Math.min(STEPS - 1, Math.floor(value * STEPS)))}`;
}

/**
 * The moments and the places that the map shows: from the first look on, without the prompt in front and without what
 * lies behind the end of the text.
 * @param {Side} side
 */
export function span(side) {
  const last = side.moments.length - 1;
  const kinds = side.moments[last]?.kinds ?? new Uint8Array();
  const drawn = drawnCells(faces(side, last), Boolean(side.head.causal));
  const from = Math.max(
    0,
    kinds.findIndex((kind) => kind !== GIVEN),
  );
  const to = Math.max(from, drawn.lastIndexOf(true));
  return {
    top: Math.max(0, Math.min(1, last)),
    rows: Math.max(1, last),
    from,
    cells: kinds.length ? to - from + 1 : 0,
  };
}

/** All rows of the map.
 * @param {Side} side
 * @param {Shows} shows
 */
export function mapRows(side, shows) {
  const { top, rows, from, cells } = span(side);
  return Array.from({ length: rows }, (_, i) => mapRow(side, top + i, shows).slice(from, from + cells));
}

/** What is written before a row: the number of its look, or that a person changed something.
 * @param {Side} side
 * @param {number} at
 */
export function rowName(side, at) {
  const moment = side.moments[at];
  return moment?.kind === "edit" ? "✎" : String(moment?.passes ?? 0);
}

/** Whether a look only read what was written, as a decoder does that reads over its draft.
 * @param {Side} side
 * @param {number} at
 */
export function reads(side, at) {
  const why = side.moments[at]?.event?.why ?? [];
  return why.some((/** @type {[string, ...unknown[]]} */ [words]) => /^read from left/.test(words));
}
