/** Paints a side: `faces` says how each cell should look, `plan` what differs, `apply` touches only that. */

import { groupsOf } from "../looks/bytes.js";
import { isSpecial, joins, shownAs, spoken } from "../looks/glyphs.js";
import { textEnd } from "../wire/timeline.js";
import { GIVEN, NOTHING, OPEN, OWN, PINNED } from "../wire/canvas.js";
import { chain } from "./chains.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("../wire/timeline.js").Moment} Moment */

/**
 * How a cell looks: its text, its classes, one digit of certainty, its ticks, and its name for a screen reader.
 * @typedef {{text: string, look: string, sure: string, ticks: string, label: string, breaks: boolean,
 *   after?: number, before?: number}} Face room in em that it keeps for pieces that lean on it, and takes back
 */

/**
 * What a person points at, which is no part of the run.
 * @typedef {{selected: ReadonlySet<number>, hovered: number, pending: ReadonlyMap<number, string>}} Highlight
 */

/** @typedef {{cell: number, face: Partial<Face>}} Op */
/** @typedef {{length: number, ops: Op[], rows: number[] | null}} Plan */

const SHOWN_FROM = 0.1; // a weaker guess is noise, not a ghost
const END = "∎";

/** @type {Highlight} */
export const NO_HIGHLIGHT = { selected: new Set(), hovered: -1, pending: new Map() };

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
 * @returns {Look | null}
 */
export function look(side, at, highlight, last) {
  const moment = side.moments[at];
  if (!moment) return null;
  const ends = /** @type {number[]} */ (side.head.ends ?? []);
  const now = { session: side.session, moment, stops: textEnd(moment, ends), fresh: new Set(moment.fresh), highlight };
  const row = /** @type {Face[]} */ (new Array(moment.tokens.length));
  const kept = last?.session === side.session && last.row.length === row.length ? last : null;
  for (let cell = 0; cell < row.length; cell++) {
    const old = kept && alike(kept, now, cell) ? kept.row[cell] : undefined;
    row[cell] = old ?? face(side, moment, cell, now.stops, now.fresh, ends, highlight);
  }
  joined(side, moment, row);
  chain(row);
  return { ...now, row };
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
      row[from + part] = { ...face, text: part ? "" : shownAs(text), look, label };
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
    last.fresh.has(cell) === now.fresh.has(cell) &&
    cell >= last.stops === cell >= now.stops &&
    (last.highlight === now.highlight ||
      (last.highlight.selected.has(cell) === now.highlight.selected.has(cell) &&
        (last.highlight.hovered === cell) === (now.highlight.hovered === cell) &&
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
  if (open) {
    const noise = token;
    token = sure >= SHOWN_FROM ? guess : NOTHING;
    share = guess === NOTHING ? 0 : sure;
    look += " open";
    state = token === NOTHING ? "open" : `open, perhaps ${spoken(pieceOf(side, guess))}, ${percent(sure)}`;
    if (token === NOTHING && noise !== NOTHING) {
      token = noise;
      look += " noise";
      state = "open, holds noise";
    }
    if (moment.erased[cell]) {
      look += " erased";
      state += ", erased by you";
    }
  } else if (given) {
    look += kind === OWN ? " given own" : " given";
    state = kind === OWN ? "your text" : "prompt";
  } else if (kind === PINNED) {
    look += " pinned";
    state = "pinned by you";
  } else {
    look += " written";
    state = `written, ${percent(share)}`;
    if (forced(side.moments[moment.since[cell] ?? 0]?.event ?? null).has(cell)) {
      look += " forced";
      state += ", forced: the plan was at its end";
    }
    if (guess !== NOTHING && guess !== token && !fresh.has(cell)) {
      look += " doubted";
      state += `, doubted: would now write ${spoken(pieceOf(side, guess))}`;
    }
  }
  const piece = token === NOTHING ? "" : pieceOf(side, token);
  const ended = ends.includes(token);
  let text = token === NOTHING ? "" : ended ? END : given && /^ +$/.test(piece) ? piece : shownAs(piece);
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
  const changes = Math.min(moment.changes[cell] ?? 0, 5);
  return {
    text,
    look,
    sure: given || kind === PINNED ? "" : String(Math.min(9, Math.floor(share * 10))),
    ticks: changes ? "ı".repeat(changes) : "",
    label: `${cell}: ${open || token === NOTHING ? "" : ended ? "end of text, " : `${spoken(piece)}, `}${state}`,
    breaks: kind !== OPEN && piece.includes("\n") && !ended,
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

/**
 * Where lines of the text begin: after each line break. Within a line, words flow with the width.
 * @param {Face[]} row
 */
export function rowsOf(row) {
  const starts = [0];
  for (let cell = 1; cell < row.length; cell++) if (row[cell - 1]?.breaks) starts.push(cell);
  return starts;
}

/**
 * What must change on the page to get from one row of faces to another.
 * @param {Face[]} before
 * @param {Face[]} now
 * @param {number[]} rowsBefore
 * @returns {Plan}
 */
export function plan(before, now, rowsBefore) {
  /** @type {Op[]} */
  const ops = [];
  for (let cell = 0; cell < now.length; cell++) {
    const face = /** @type {Face} */ (now[cell]);
    const old = before[cell];
    if (old === face) continue;
    if (!old) {
      ops.push({ cell, face });
      continue;
    }
    /** @type {Partial<Face> | null} */
    let differs = null;
    if (old.text !== face.text) (differs ??= {}).text = face.text;
    if (old.look !== face.look) (differs ??= {}).look = face.look;
    if (old.sure !== face.sure) (differs ??= {}).sure = face.sure;
    if (old.ticks !== face.ticks) (differs ??= {}).ticks = face.ticks;
    if (old.label !== face.label) (differs ??= {}).label = face.label;
    if (old.after !== face.after) (differs ??= {}).after = face.after ?? 0;
    if (old.before !== face.before) (differs ??= {}).before = face.before ?? 0;
    if (differs) ops.push({ cell, face: differs });
  }
  const rows = rowsOf(now);
  const same =
    rows.length === rowsBefore.length && before.length === now.length && rows.every((r, i) => r === rowsBefore[i]);
  return { length: now.length, ops, rows: same ? null : rows };
}

/** The nodes of a side's cells, kept from frame to frame. */
export class Painter {
  /** @param {HTMLElement} grid */
  constructor(grid) {
    this.grid = grid;
    /** @type {HTMLElement[]} */
    this.nodes = [];
    /** @type {Face[]} */
    this.faces = [];
    /** @type {number[]} */
    this.rows = [];
    this.painted = 0;
  }

  /** @param {Face[]} now */
  paint(now) {
    this.apply(plan(this.faces, now, this.rows));
    this.faces = now;
    this.painted++;
  }

  /** @param {Plan} todo */
  apply(todo) {
    while (this.nodes.length < todo.length) this.nodes.push(cellNode(this.nodes.length));
    if (this.nodes.length > todo.length) for (const node of this.nodes.splice(todo.length)) node.remove();
    for (const { cell, face } of todo.ops) {
      const node = /** @type {HTMLElement} */ (this.nodes[cell]);
      if (face.text !== undefined) /** @type {HTMLElement} */ (node.firstChild).textContent = face.text;
      if (face.look !== undefined) node.className = face.look;
      if (face.sure !== undefined) node.dataset.sure = face.sure;
      if (face.ticks !== undefined) node.dataset.ticks = face.ticks;
      if (face.label !== undefined) node.ariaLabel = face.label;
      if (face.after !== undefined) room(node, "--after", face.after);
      if (face.before !== undefined) room(node, "--before", face.before);
    }
    if (todo.rows) this.arrange(todo.rows);
  }

  /**
   * Cells stand in lines of the text, and flow within each.
   * @param {number[]} starts
   */
  arrange(starts) {
    const focused = document.activeElement;
    while (this.grid.children.length > starts.length) this.grid.lastElementChild?.remove();
    starts.forEach((start, i) => {
      const row = /** @type {HTMLElement} */ (this.grid.children[i] ?? this.grid.appendChild(rowNode()));
      const cells = this.nodes.slice(start, starts[i + 1] ?? this.nodes.length);
      row.dataset.from = String(start);
      if (row.children.length !== cells.length || cells.some((node, k) => row.children[k] !== node))
        row.replaceChildren(...cells);
    });
    this.rows = starts;
    if (focused instanceof HTMLElement && focused !== document.activeElement && this.nodes.includes(focused))
      focused.focus();
  }

  /** The first cells of the rows as they stand on the screen, for keys that go up and down. */
  get lines() {
    /** @type {number[]} */
    const starts = [];
    let top = NaN;
    this.nodes.forEach((node, cell) => {
      if (!node.offsetParent) return; // behind the end of the text nothing is shown
      const here = node.getBoundingClientRect().top;
      if (Math.abs(here - top) < 8) return;
      top = here;
      starts.push(cell);
    });
    return starts;
  }

  /** Cells up to the last one that is shown. */
  get shown() {
    let length = this.nodes.length;
    while (length > 1 && !this.nodes[length - 1]?.offsetParent) length--;
    return length;
  }
}

/** Most cells keep no room and have no style of their own.
 * @param {HTMLElement} node
 * @param {string} name
 * @param {number} em
 */
function room(node, name, em) {
  if (em || node.style.length) node.style.setProperty(name, em.toFixed(2));
}

/** @param {number} cell */
function cellNode(cell) {
  const node = document.createElement("div");
  node.role = "gridcell";
  node.tabIndex = cell ? -1 : 0;
  node.dataset.cell = String(cell);
  const word = document.createElement("span");
  node.append(word);
  return node;
}

function rowNode() {
  const row = document.createElement("div");
  row.role = "row";
  row.className = "row";
  return row;
}
