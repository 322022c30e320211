/** The moments of a side: how each follows from the one before by a pass or an edit. Pure. */

import { GIVEN, NOTHING, OPEN, OWN, PINNED, WRITTEN, canvasOf, unpacked } from "./canvas.js";

/** @typedef {import("./canvas.js").Event} Event */

/** @typedef {{at: number, why: string, outcome: "reopened" | "stands" | "left"}} Found */

/**
 * A side as it stood after one pass or one edit. Rows share memory with the moment before where nothing changed.
 * @typedef {object} Moment
 * @property {"start" | "pass" | "edit" | "gap"} kind
 * @property {Int32Array} tokens
 * @property {Uint8Array} kinds GIVEN, OPEN, PINNED or WRITTEN
 * @property {Int32Array} ids
 * @property {Int32Array} guess the model's likeliest token where it was asked, else NOTHING
 * @property {Int32Array} sure its probability, in 255ths
 * @property {Float32Array} confidence with which what stands was written; NaN where unknown
 * @property {Int32Array} since the moment at which what stands was written or pinned
 * @property {Uint8Array} changes how often the model changed its mind about the cell
 * @property {Uint8Array} erased 1 where a person opened the cell and nothing was written since
 * @property {number[]} fresh cells that this moment wrote
 * @property {number} passes made so far
 * @property {number} cost forwards spent so far
 * @property {number} clock device time so far, ms
 * @property {number} thinking of it, in the model, ms
 * @property {number} other of it, around the model, ms
 * @property {number} mean confidence over the cells that were open when the model looked
 * @property {number} open
 * @property {ReadonlyMap<number, Found> | null} found what the checks found in a cell, by its id
 * @property {boolean} shared others had the device too
 * @property {Event | null} event what made it
 */

/**
 * @param {import("./canvas.js").Canvas} canvas
 * @returns {Moment}
 */
export function first({ tokens, kinds, ids }) {
  const length = tokens.length;
  return {
    kind: "start",
    tokens,
    kinds,
    ids,
    guess: new Int32Array(length).fill(NOTHING),
    sure: new Int32Array(length),
    confidence: new Float32Array(length),
    since: new Int32Array(length),
    changes: new Uint8Array(length),
    erased: new Uint8Array(length),
    fresh: [],
    passes: 0,
    cost: 0,
    clock: 0,
    thinking: 0,
    other: 0,
    mean: 0,
    open: count(kinds, OPEN),
    found: null,
    shared: false,
    event: null,
  };
}

/**
 * The moment that a pass made.
 * @param {{moments: Moment[], width: number}} side
 * @param {import("./messages.d.ts").SteppedEvent} event
 * @returns {Moment | null}
 */
export function stepped(side, event) {
  const at = event.at ?? 0;
  const before = side.moments[at - 1] ?? side.moments[side.moments.length - 1];
  if (!before) return null;
  const writes = event.w.length > 0;
  const back = event.x ?? [];
  const touched = writes || back.length > 0 || event.noise;
  const tokens = touched ? before.tokens.slice() : before.tokens;
  const kinds = touched ? before.kinds.slice() : before.kinds;
  const confidence = writes ? before.confidence.slice() : before.confidence;
  const since = writes ? before.since.slice() : before.since;
  const erased = writes ? before.erased.slice() : before.erased;
  const guess = event.g ? unpacked(event.g, side.width) : before.guess;
  const sure = event.s ? unpacked(event.s, 1) : before.sure;
  let changes = before.changes;
  const changed = (/** @type {number} */ cell) => {
    if (changes === before.changes) changes = changes.slice();
    changes[cell] = Math.min(255, (changes[cell] ?? 0) + 1);
  };
  event.w.forEach((cell, i) => {
    if (before.kinds[cell] === WRITTEN && before.tokens[cell] !== event.t[i]) changed(cell);
    tokens[cell] = event.t[i] ?? NOTHING;
    kinds[cell] = WRITTEN;
    confidence[cell] = event.c[i] ?? NaN; // unknown
    since[cell] = at;
    erased[cell] = 0;
  });
  for (const cell of back) {
    tokens[cell] = NOTHING;
    kinds[cell] = OPEN;
    changed(cell);
  }
  if (event.noise) tokens.set(unpacked(event.noise, side.width)); // every cell as the pass left it
  const [thinking, other, clock] = event.ms ?? [0, 0, before.clock];
  return {
    kind: "pass",
    tokens,
    kinds,
    ids: before.ids,
    guess,
    sure,
    confidence,
    since,
    changes,
    erased,
    fresh: event.w,
    passes: before.passes + 1,
    cost: before.cost + (event.cost ?? 1),
    clock,
    thinking: before.thinking + thinking,
    other: before.other + other,
    mean: meanSure(before.kinds, guess, sure),
    open: event.open,
    found: before.found,
    shared: before.shared || Boolean(event.shared),
    event,
  };
}

/**
 * An edit shows the whole canvas; what is known of a cell follows its name, for cells may have come or gone.
 * @param {{moments: Moment[], width: number}} side
 * @param {import("./messages.d.ts").EditedEvent} event
 * @returns {Moment | null}
 */
export function edited(side, event) {
  const at = event.at ?? 0;
  const before = side.moments[at - 1] ?? side.moments[side.moments.length - 1];
  if (!before) return null;
  const { tokens, kinds, ids } = canvasOf(event.canvas);
  const now = { ...first({ tokens, kinds, ids }), kind: /** @type {const} */ ("edit"), event };
  const place = new Map(Array.from(before.ids, (id, cell) => [id, cell]));
  /** @type {number[]} */
  const fresh = [];
  for (let cell = 0; cell < ids.length; cell++) {
    const was = place.get(ids[cell] ?? NOTHING);
    if (was === undefined) {
      if (kinds[cell] !== PINNED) continue;
      now.since[cell] = at; // inserted for a word that a person set
      fresh.push(cell);
      continue;
    }
    const same = before.tokens[was] === tokens[cell] && before.kinds[was] === kinds[cell];
    now.guess[cell] = before.guess[was] ?? NOTHING;
    now.sure[cell] = before.sure[was] ?? 0;
    now.changes[cell] = before.changes[was] ?? 0;
    now.confidence[cell] = before.confidence[was] ?? 0;
    now.since[cell] = same ? (before.since[was] ?? 0) : at;
    now.erased[cell] =
      kinds[cell] === OPEN && before.kinds[was] !== OPEN
        ? Number(!event.edit.own)
        : same
          ? (before.erased[was] ?? 0)
          : 0;
    if (!same && kinds[cell] === PINNED) fresh.push(cell);
  }
  const { passes, cost, clock, thinking, other, mean, shared } = before;
  return { ...now, fresh, passes, cost, clock, thinking, other, mean, shared, found: foundBy(before, event, at) };
}

/** What the checks have found: a person's edit lets them begin again.
 * @param {Moment} before @param {Event} event @param {number} at
 */
function foundBy(before, { edit }, at) {
  if (edit?.do !== "find") return edit?.own ? before.found : null;
  const found = new Map(before.found);
  for (const cell of edit.cells) found.set(before.ids[cell] ?? NOTHING, { at, why: edit.why, outcome: edit.outcome });
  return found;
}

/**
 * @param {Uint8Array} kinds
 * @param {number} kind
 */
function count(kinds, kind) {
  let sum = 0;
  for (const k of kinds) if (k === kind) sum++;
  return sum;
}

/**
 * @param {Uint8Array} kinds
 * @param {Int32Array} guess
 * @param {Int32Array} sure
 */
function meanSure(kinds, guess, sure) {
  let sum = 0;
  let cells = 0;
  for (let cell = 0; cell < kinds.length; cell++) {
    if (kinds[cell] !== OPEN || guess[cell] === NOTHING) continue;
    sum += sure[cell] ?? 0;
    cells++;
  }
  return cells ? sum / cells / 255 : 1;
}

/**
 * The first cell after the end of the text, or the length where the text has not ended.
 * @param {Moment} moment
 * @param {number[]} ends
 */
export function textEnd(moment, ends) {
  if (!ends.length) return moment.tokens.length;
  for (let cell = 0; cell < moment.tokens.length; cell++) {
    const kind = moment.kinds[cell];
    if (kind === GIVEN || kind === OWN || kind === OPEN) continue;
    if (ends.includes(moment.tokens[cell] ?? NOTHING)) return cell + 1;
  }
  return moment.tokens.length;
}

/** The settings that hold at a moment.
 * @param {import("./store.js").Side} side
 * @param {number} at
 * @returns {Record<string, any>}
 */
export function settingsAt({ head, moments }, at) {
  for (let m = at; m > 0; m--) {
    const tuned = moments[m]?.event?.settings;
    if (tuned) return tuned;
  }
  return head.settings ?? {};
}
