/** From events to a timeline: a pure reducer. A lane keeps every moment it was told, so that looking back is an index. */

import { GIVEN, NOTHING, OPEN, PINNED, WRITTEN, canvasAfter, canvasOf, unpacked } from "./wire.js";

/** @typedef {import("./wire.js").Event} Event */

/**
 * A lane as it stood after one pass or one edit. Rows share memory with the moment before where nothing changed.
 * @typedef {object} Moment
 * @property {"start" | "pass" | "edit" | "gap"} kind
 * @property {Int32Array} tokens
 * @property {Uint8Array} kinds GIVEN, OPEN, PINNED or WRITTEN
 * @property {Int32Array} ids
 * @property {Int32Array} guess the model's likeliest token where it was asked, else NOTHING
 * @property {Int32Array} sure its probability, in 255ths
 * @property {Float32Array} confidence with which what stands was written
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
 * @property {boolean} shared others had the device too
 * @property {Event | null} event what told it
 */

/**
 * @typedef {object} Lane
 * @property {"empty" | "replay" | "live"} source
 * @property {string} session
 * @property {string} token lets this page steer the session
 * @property {number} n the last message seen
 * @property {Record<string, any>} head
 * @property {number} width bytes of a packed token
 * @property {Map<number, string>} pieces
 * @property {Moment[]} moments
 * @property {boolean} playing the server goes on by itself
 * @property {boolean} done
 * @property {string} failed
 * @property {{place: number, seconds: number} | null} waiting
 * @property {Event | null} refused
 * @property {{session: string, at: number, moments: Moment[]}[]} branches runs that this one left
 * @property {string} child a branch of it that exists and has not introduced itself yet
 * @property {Map<string, Record<string, any>>} peeks
 * @property {Record<string, any>} measures
 */

/** @typedef {{lanes: Lane[]}} Stage */

/** @returns {Lane} */
export function emptyLane() {
  return {
    source: "empty",
    session: "",
    token: "",
    n: 0,
    head: {},
    width: 2,
    pieces: new Map(),
    moments: [],
    playing: false,
    done: false,
    failed: "",
    waiting: null,
    refused: null,
    branches: [],
    child: "",
    peeks: new Map(),
    measures: {},
  };
}

/**
 * The stage after an event, which names its lane by session, or by number when it opens.
 * @param {Stage} stage
 * @param {Event} event
 * @returns {Stage}
 */
export function reduce(stage, event) {
  // a fork introduces itself by naming the session that it left
  const session = event.did === "opened" && event.head?.parent ? event.head.parent : event.session;
  const known = stage.lanes.findIndex((lane) => lane.session !== "" && lane.session === session);
  const at = known >= 0 ? known : event.did === "opened" ? (event.lane ?? 0) : -1;
  if (at < 0 || at >= stage.lanes.length) return stage;
  const lanes = stage.lanes.slice();
  lanes[at] = after(/** @type {Lane} */ (stage.lanes[at]), event);
  return { ...stage, lanes };
}

/**
 * A lane after one event.
 * @param {Lane} lane
 * @param {Event} event
 * @returns {Lane}
 */
export function after(lane, event) {
  if (event.n !== undefined && event.session === lane.session && event.n <= lane.n) return lane; // heard already
  const next = { ...lane, n: event.n ?? lane.n, pieces: spelled(lane.pieces, event.pieces) };
  switch (event.did) {
    case "opened":
      return opened(next, event);
    case "stepped":
      return { ...timed(next, event.at ?? 0, stepped(next, event)), done: event.done, waiting: null, failed: "" };
    case "edited": {
      const moment = edited(next, event);
      return { ...timed(next, event.at ?? 0, moment), done: moment?.open === 0, failed: "", peeks: new Map() };
    }
    case "snapshot":
      return snapshot(next, event);
    case "moved": {
      const moments =
        event.length && event.length < lane.moments.length ? lane.moments.slice(0, event.length) : lane.moments;
      const waiting = event.playing ? lane.waiting : null; // who pauses gives the place up
      return { ...next, moments, playing: event.playing, done: finished(moments), waiting };
    }
    case "peeked":
      return { ...next, peeks: new Map(lane.peeks).set(`${event.cell}:${event.at}`, event.told) };
    case "forked":
      return { ...next, child: event.child };
    case "waiting":
      return { ...next, waiting: { place: event.place, seconds: event.seconds } };
    case "refused":
      return { ...next, refused: event };
    case "done":
      return {
        ...next,
        done: true,
        playing: false,
        waiting: null,
        failed: event.failed ?? "",
        measures: event.measures ?? {},
      };
    default:
      return next;
  }
}

/**
 * @param {Map<number, string>} known
 * @param {Record<string, string> | undefined} told
 */
function spelled(known, told) {
  if (!told) return known;
  const pieces = new Map(known);
  for (const [token, piece] of Object.entries(told)) pieces.set(Number(token), piece);
  return pieces;
}

/**
 * @param {Lane} lane
 * @param {Event} event
 * @returns {Lane}
 */
function opened(lane, event) {
  const head = event.head ?? {};
  const told = {
    source: /** @type {"replay" | "live"} */ (event.session === "replay" ? "replay" : "live"),
    session: event.session ?? "",
    token: event.token ?? "",
    n: event.n ?? 0,
    head,
    width: head.width ?? 2,
  };
  if (head.parent && head.parent === lane.session) {
    // the moments up to the fork are here already
    const left = { session: lane.session, at: head.forked_at, moments: lane.moments };
    const moments = lane.moments.slice(0, left.at + 1);
    const state = { done: false, playing: false, failed: "", waiting: null, child: "", peeks: new Map() };
    return { ...lane, ...told, ...state, moments, branches: [...lane.branches, left] };
  }
  const pieces = spelled(new Map(), event.pieces);
  return { ...emptyLane(), ...told, pieces, moments: [first(canvasOf(event.canvas))] };
}

/**
 * @param {import("./wire.js").Canvas} canvas
 * @returns {Moment}
 */
function first({ tokens, kinds, ids }) {
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
    shared: false,
    event: null,
  };
}

/**
 * Put a moment into the timeline; what was after it is gone, and what was missed before it is marked as a gap.
 * @param {Lane} lane
 * @param {number} at
 * @param {Moment | null} moment
 * @returns {Lane}
 */
function timed(lane, at, moment) {
  if (!moment) return lane;
  const moments = lane.moments.slice(0, at);
  const last = moments[moments.length - 1] ?? moment;
  while (moments.length < at) moments.push({ ...last, kind: "gap", fresh: [] });
  moments.push(moment);
  return { ...lane, moments };
}

/**
 * @param {Lane} lane
 * @param {Event} event
 * @returns {Moment | null}
 */
function stepped(lane, event) {
  const at = event.at ?? 0;
  const before = lane.moments[at - 1] ?? lane.moments[lane.moments.length - 1];
  if (!before) return null;
  const written = event.w.length > 0;
  const back = /** @type {number[]} */ (event.x ?? []);
  const touched = written || back.length > 0 || event.noise;
  const tokens = touched ? before.tokens.slice() : before.tokens;
  const kinds = touched ? before.kinds.slice() : before.kinds;
  const confidence = written ? before.confidence.slice() : before.confidence;
  const since = written ? before.since.slice() : before.since;
  const erased = written ? before.erased.slice() : before.erased;
  const guess = event.g ? unpacked(event.g, lane.width) : before.guess;
  const sure = event.s ? unpacked(event.s, 1) : before.sure;
  let changes = before.changes;
  const changed = (/** @type {number} */ cell) => {
    if (changes === before.changes) changes = changes.slice();
    changes[cell] = Math.min(255, (changes[cell] ?? 0) + 1);
  };
  if (event.noise) {
    const noise = unpacked(event.noise, lane.width);
    for (let cell = 0; cell < kinds.length; cell++) if (kinds[cell] === OPEN) tokens[cell] = noise[cell] ?? NOTHING;
  }
  event.w.forEach((/** @type {number} */ cell, /** @type {number} */ i) => {
    if (before.kinds[cell] === WRITTEN && before.tokens[cell] !== event.t[i]) changed(cell);
    tokens[cell] = event.t[i];
    kinds[cell] = WRITTEN;
    confidence[cell] = event.c[i];
    since[cell] = at;
    erased[cell] = 0;
  });
  for (const cell of back) {
    if (!event.noise) tokens[cell] = NOTHING;
    kinds[cell] = OPEN;
    changed(cell);
  }
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
    shared: before.shared || Boolean(event.shared),
    event,
  };
}

/**
 * An edit shows the whole canvas; what is known of a cell follows its name, for cells may have come or gone.
 * @param {Lane} lane
 * @param {Event} event
 * @returns {Moment | null}
 */
function edited(lane, event) {
  const at = event.at ?? 0;
  const before = lane.moments[at - 1] ?? lane.moments[lane.moments.length - 1];
  if (!before) return null;
  const { tokens, kinds, ids } = event.canvas ? canvasOf(event.canvas) : canvasAfter(before, event.edit);
  const now = { ...first({ tokens, kinds, ids }), kind: /** @type {const} */ ("edit"), event };
  const place = new Map(Array.from(before.ids, (id, cell) => [id, cell]));
  /** @type {number[]} */
  const fresh = [];
  for (let cell = 0; cell < ids.length; cell++) {
    const was = place.get(ids[cell] ?? NOTHING);
    if (was === undefined) continue;
    const same = before.tokens[was] === tokens[cell] && before.kinds[was] === kinds[cell];
    now.guess[cell] = before.guess[was] ?? NOTHING;
    now.sure[cell] = before.sure[was] ?? 0;
    now.changes[cell] = before.changes[was] ?? 0;
    now.confidence[cell] = before.confidence[was] ?? 0;
    now.since[cell] = same ? (before.since[was] ?? 0) : at;
    now.erased[cell] = kinds[cell] === OPEN && before.kinds[was] !== OPEN ? 1 : same ? (before.erased[was] ?? 0) : 0;
    if (!same && kinds[cell] === PINNED) fresh.push(cell);
  }
  const { passes, cost, clock, thinking, other, mean, shared } = before;
  return { ...now, fresh, passes, cost, clock, thinking, other, mean, shared };
}

/**
 * @param {Lane} lane
 * @param {Event} event
 * @returns {Lane}
 */
function snapshot(lane, event) {
  const length = event.length || (event.at ?? 0) + 1;
  if (lane.moments.length >= length) {
    const moments = lane.moments.slice(0, length); // an edit was undone
    return { ...lane, moments, playing: event.playing, done: finished(moments), peeks: new Map() };
  }
  const canvas = canvasOf(event.canvas);
  const last = lane.moments[lane.moments.length - 1];
  const moment = { ...(last ?? first(canvas)), ...first(canvas), kind: /** @type {const} */ ("gap") };
  if (last) Object.assign(moment, { passes: last.passes, cost: last.cost, clock: last.clock });
  return { ...timed(lane, event.at ?? 0, moment), playing: event.playing, done: moment.open === 0 };
}

/** @param {Moment[]} moments */
function finished(moments) {
  const last = moments[moments.length - 1];
  return last !== undefined && last.open === 0 && (last.event?.done ?? true);
}

/**
 * @param {Uint8Array} kinds
 * @param {number} kind
 */
export function count(kinds, kind) {
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
    if (moment.kinds[cell] === GIVEN || moment.kinds[cell] === OPEN) continue;
    if (ends.includes(moment.tokens[cell] ?? NOTHING)) return cell + 1;
  }
  return moment.tokens.length;
}
