/** How each cell of a side looks at a moment: its text, its marks, how sure the model was, its name for a screen reader. Pure. */

import { groupsOf } from "../looks/bytes.js";
import { isSpecial, joins, shownAs, spoken } from "../looks/glyphs.js";
import { t } from "../looks/language.js";
import { textEnd } from "../wire/timeline.js";
import { GIVEN, NOTHING, OPEN, OWN, PINNED } from "../wire/canvas.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("../wire/timeline.js").Moment} Moment */

/**
 * @typedef {object} Face
 * @property {string} text
 * @property {string} ink the text as it stands on paper, where a line break is a new line and no sign for one
 * @property {string} look its classes
 * @property {string} sure a digit, how sure the model was; empty for what it did not write
 * @property {number} share the same, from 0 to 1
 * @property {string} ticks one for each change of mind
 * @property {string} label its name for a screen reader
 * @property {boolean} open
 * @property {boolean} ended the text ends with this cell, or would with its guess
 * @property {boolean} joined no space stands before it
 * @property {number} breaks line breaks in it
 * @property {boolean} silent it holds no word that is read: the text had a place too many, or it is a chat template's
 */

/**
 * What a person points at, which is no part of the run.
 * @typedef {{selected: ReadonlySet<number>, hovered: number, tinted: ReadonlySet<number>, pending: ReadonlyMap<number, string>}} Highlight
 */

const SHOWN_FROM = 0.1; // a weaker guess is noise, not a ghost
const END = "∎";

/** How a talk has its cells look, from the first one on. @type {{face: (side: Side, cell: number, face: Face) => Face}} */
export const ofTalk = { face: (_side, _cell, face) => face };

/** @type {Highlight} */
export const NO_HIGHLIGHT = { selected: new Set(), hovered: -1, tinted: new Set(), pending: new Map() };

/**
 * What a side's cells were made from, and what came of it.
 * @typedef {{session: string, moment: Moment, stops: number, fresh: Set<number>, highlight: Highlight, row: Face[]}} Look
 */

/**
 * How every cell of a side looks at a moment.
 * @param {Side} side
 * @param {number} at
 * @param {Highlight} [highlight]
 * @returns {Face[]}
 */
export function faces(side, at, highlight = NO_HIGHLIGHT) {
  return look(side, at, highlight, null)?.row ?? [];
}

/**
 * The same, taking over from the last look every face that would come out alike; null where there is no such moment.
 * @param {Side} side
 * @param {number} at
 * @param {Highlight} highlight
 * @param {Look | null} last
 * @param {boolean} [ahead] with the guesses of the pass that comes next, before it writes any
 * @returns {Look | null}
 */
export function look(side, at, highlight, last, ahead = false) {
  const moment = ahead ? guessed(side.moments[at], side.moments[at + 1]) : side.moments[at];
  if (!moment) return null;
  const ends = /** @type {number[]} */ (side.head.ends ?? []);
  const now = { session: side.session, moment, stops: textEnd(moment, ends), fresh: new Set(moment.fresh), highlight };
  const row = /** @type {Face[]} */ (new Array(moment.tokens.length));
  const kept = last?.session === side.session && last.row.length === row.length ? last : null;
  for (let cell = 0; cell < row.length; cell++) {
    const old = kept && alike(kept, now, cell) ? kept.row[cell] : undefined;
    row[cell] = old ?? ofTalk.face(side, cell, face(side, moment, cell, now.stops, now.fresh, ends, highlight));
  }
  joined(side, moment, row);
  return { ...now, row };
}

/** @type {WeakMap<Moment, Moment>} */
const guessedAhead = new WeakMap();

/** A moment with the guesses of the next: the model has looked, and has written nothing yet.
 * @param {Moment | undefined} moment
 * @param {Moment | undefined} next
 */
function guessed(moment, next) {
  if (!moment || next?.kind !== "pass" || next.guess.length !== moment.guess.length) return moment;
  let made = guessedAhead.get(next);
  if (!made) {
    made = { ...moment, guess: next.guess.slice(), sure: next.sure.slice(), fresh: [] };
    for (const [i, cell] of next.fresh.entries()) {
      // a trace keeps no guess for what a pass wrote: the word that it wrote is the guess
      if (moment.kinds[cell] !== OPEN || made.guess[cell] !== NOTHING) continue;
      made.guess[cell] = next.tokens[cell] ?? NOTHING;
      made.sure[cell] = Math.round((next.event?.c?.[i] ?? 0) * 255);
    }
    guessedAhead.set(next, made);
  }
  return made;
}

/**
 * Cells that hold the parts of one sign are shown as one: it stands in the first, and the others lean on it.
 * @param {Side} side
 * @param {Moment} moment
 * @param {Face[]} row
 */
function joined(side, moment, row) {
  if (!side.parts) return;
  const pieces = Array.from(moment.tokens, (token, cell) =>
    moment.kinds[cell] === OPEN || token === NOTHING ? null : pieceOf(side, token),
  );
  for (const { from, cells, text } of groupsOf(pieces)) {
    for (let part = 0; part < cells; part++) {
      const face = /** @type {Face} */ (row[from + part]);
      const alone = `: ${spoken(pieces[from + part] ?? "")},`;
      const label = face.label.replace(alone, () => `: ${spoken(text)}, part ${part + 1} of ${cells},`);
      const look = `${face.look} part${part ? " rear joined" : " front"}`;
      const own = part ? "" : shownAs(text);
      row[from + part] = { ...face, text: own, ink: own, look, label };
    }
  }
}

/**
 * Whether a cell would look the same.
 * @param {Look} last
 * @param {Omit<Look, "row">} now
 * @param {number} cell
 */
function alike(last, now, cell) {
  const [a, b] = [last.moment, now.moment];
  if (/ part /.test(`${last.row[cell]?.look} `)) return false; // its neighbours belong to it
  return (
    a.tokens[cell] === b.tokens[cell] &&
    a.kinds[cell] === b.kinds[cell] &&
    a.guess[cell] === b.guess[cell] &&
    a.sure[cell] === b.sure[cell] &&
    a.confidence[cell] === b.confidence[cell] &&
    a.changes[cell] === b.changes[cell] &&
    a.erased[cell] === b.erased[cell] &&
    (a.found === b.found || a.found?.get(a.ids[cell] ?? NOTHING) === b.found?.get(b.ids[cell] ?? NOTHING)) &&
    last.fresh.has(cell) === now.fresh.has(cell) &&
    cell >= last.stops === cell >= now.stops &&
    (last.highlight === now.highlight ||
      (last.highlight.selected.has(cell) === now.highlight.selected.has(cell) &&
        (last.highlight.hovered === cell) === (now.highlight.hovered === cell) &&
        last.highlight.tinted.has(cell) === now.highlight.tinted.has(cell) &&
        last.highlight.pending.get(cell) === now.highlight.pending.get(cell)))
  );
}

/**
 * @param {Side} side
 * @param {Moment} moment
 * @param {number} cell
 * @param {number} stops
 * @param {Set<number>} fresh
 * @param {number[]} ends
 * @param {Highlight} highlight
 * @returns {Face}
 */
function face(side, moment, cell, stops, fresh, ends, highlight) {
  const kind = moment.kinds[cell] ?? OPEN;
  const guess = moment.guess[cell] ?? NOTHING;
  const sure = (moment.sure[cell] ?? 0) / 255;
  const pending = highlight.pending.get(cell);
  const open = kind === OPEN;
  const given = kind === GIVEN || kind === OWN;
  let token = moment.tokens[cell] ?? NOTHING;
  let look = "cell";
  let share = moment.confidence[cell] ?? 0;
  /** @type {string} */
  let state;
  const found = moment.found?.get(moment.ids[cell] ?? NOTHING);
  if (found) look += found.outcome === "reopened" ? (open ? " found" : " healed") : " stands";
  if (open) {
    const noise = token;
    token = sure >= SHOWN_FROM ? guess : NOTHING;
    share = guess === NOTHING ? 0 : sure;
    look += " open";
    const perhaps = { word: spoken(pieceOf(side, guess)), share: percent(sure) };
    state = token === NOTHING ? t("open") : t("open, perhaps {word}, {share}", perhaps);
    if (token === NOTHING && noise !== NOTHING) {
      token = noise;
      look += " noise";
      state = t("open, holds noise");
    }
    if (moment.erased[cell]) {
      look += " erased";
      state += t(", erased by you");
    }
    if (found) state += `, ${t("reopened: {why}", { why: found.why })}`;
  } else if (given) {
    look += kind === OWN ? " given own" : " given";
    state = kind === OWN ? t("your text") : t("given");
  } else if (kind === PINNED) {
    look += " pinned";
    state = t("pinned by you");
  } else {
    look += " written";
    state = Number.isNaN(share) ? t("written") : t("written, {share}", { share: percent(share) });
    if (forced(side.moments[moment.since[cell] ?? 0]?.event ?? null).has(cell)) {
      look += " forced";
      state += t(", forced: the plan was at its end");
    }
    if (guess !== NOTHING && guess !== token && !fresh.has(cell)) {
      look += " doubted";
      state += t(", doubted: would now write {word}", { word: spoken(pieceOf(side, guess)) });
    }
  }
  const piece = token === NOTHING ? "" : pieceOf(side, token);
  const ended = ends.includes(token);
  const none = side.head.model?.skips?.includes(token) && pending === undefined;
  let text =
    token === NOTHING || (none && open) ? "" : ended ? END : given && /^ +$/.test(piece) ? piece : shownAs(piece);
  if (pending !== undefined) {
    text = shownAs(pending);
    look += " pending";
  }
  if (fresh.has(cell)) look += " fresh";
  if (cell >= stops && !open && !given) look += kind === PINNED ? " beyond" : " beyond rest";
  if (ended) look += " end";
  if (/^\s+$/.test(piece)) look += " blank";
  if (!open && cell > 0 && !ended && (joins(piece) || (given && piece === " "))) look += " joined";
  if (isSpecial(piece)) look += " special";
  if (highlight.selected.has(cell)) look += " selected";
  if (highlight.hovered === cell) look += " linked";
  if (highlight.tinted.has(cell)) look += " tinted";
  const changes = Math.min(moment.changes[cell] ?? 0, 5);
  const named = pending !== undefined || isSpecial(piece); // its signs are meant
  return {
    text,
    ink: named || !/[⏎␣]/.test(text) ? text : text.replaceAll("⏎", "").replaceAll("␣", "\u00a0"),
    look,
    sure: given || kind === PINNED || Number.isNaN(share) ? "" : String(Math.min(9, Math.floor(share * 10))),
    share,
    ticks: changes ? "ı".repeat(changes) : "",
    label: `${cell}: ${open || token === NOTHING ? "" : ended ? `${t("end of text")}, ` : `${spoken(piece)}, `}${state}`,
    open,
    ended,
    joined: joins(piece) || (given && piece === " ") || (open && !piece && side.head.model?.spaced === false),
    breaks: ended ? 0 : piece.split("\n").length - 1,
    silent: Boolean(none) && !open,
  };
}

/** @type {WeakMap<object, Set<number>>} */
const forcedCells = new WeakMap();
const NONE = /** @type {Set<number>} */ (new Set());

/** The cells that a pass wrote because it had to, not because it was sure.
 * @param {import("../wire/canvas.js").Event | null} event
 */
function forced(event) {
  if (!event?.why) return NONE;
  let cells = forcedCells.get(event);
  if (!cells) {
    const rows = /** @type {[string, number[], number[]][]} */ (event.why).filter(([words]) =>
      words.startsWith("forced"),
    );
    cells = rows.length ? new Set(rows.flatMap(([, row]) => row)) : NONE;
    forcedCells.set(event, cells);
  }
  return cells;
}

/**
 * @param {Side} side
 * @param {number} token
 */
export function pieceOf(side, token) {
  return side.pieces.get(token) ?? " …";
}

/** @param {number} share */
export function percent(share) {
  const value = 100 * share;
  if (value > 0 && value < 0.1) return "< 0.1 %";
  return `${value > 0 && value < 0.95 ? value.toFixed(1) : Math.round(value)} %`;
}
