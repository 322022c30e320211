/** From events to a timeline: a pure reducer. A side keeps every moment, so that looking back is an index. */

import { isPart, mayJoin } from "../looks/bytes.js";
import { edited, first, stepped } from "./timeline.js";
import { canvasOf } from "./canvas.js";

/** @typedef {import("./canvas.js").Event} Event */
/** @typedef {import("./canvas.js").Message} Message */
/** @typedef {import("./messages.d.ts").OpenedEvent} OpenedEvent */
/** @typedef {import("./messages.d.ts").BranchedEvent} BranchedEvent */
/** @typedef {import("./messages.d.ts").SnapshotEvent} SnapshotEvent */
/** @typedef {import("./timeline.js").Moment} Moment */

/**
 * @typedef {object} Side
 * @property {"empty" | "replay" | "live"} source
 * @property {string} session
 * @property {string} title what it is called where it is not simply its side: a branch that is raced
 * @property {string} of the live session that a raced branch belongs to; empty for everything else
 * @property {Record<string, string>} keys what this page may pass on: own, steer, watch
 * @property {number} n the last message seen
 * @property {Record<string, any>} head
 * @property {number} width bytes of a packed token
 * @property {Map<number, string>} pieces
 * @property {boolean} parts some of them may be parts of a sign
 * @property {Moment[]} moments
 * @property {boolean} playing the server goes on by itself
 * @property {boolean} done
 * @property {string} failed
 * @property {{place: number, seconds: number} | null} waiting
 * @property {import("./messages.d.ts").RefusalEvent | null} refused
 * @property {string} branch the branch that is being written
 * @property {Map<string, Moment[]>} branches those that were left, as far as this page saw them
 * @property {Record<string, number>} heads every branch there is, with its newest moment
 * @property {import("../views/branches.js").Branch[]} tree every branch with where it begins, once there are two
 * @property {Record<string, any> | null} comparison of two branches, while it is shown
 * @property {Map<string, Record<string, any>>} peeks
 * @property {Map<string, Map<string, Record<string, any>>>} peeksOf the same of branches that were left
 * @property {Record<string, any>} measures
 */

/** @typedef {{sides: Side[]}} Stage */

/** @returns {Side} */
export function emptySide() {
  return {
    source: "empty",
    session: "",
    title: "",
    of: "",
    keys: {},
    n: 0,
    head: {},
    width: 2,
    pieces: new Map(),
    parts: false,
    moments: [],
    playing: false,
    done: false,
    failed: "",
    waiting: null,
    refused: null,
    branch: "1",
    branches: new Map(),
    heads: { 1: 0 },
    tree: [],
    comparison: null,
    peeks: new Map(),
    peeksOf: new Map(),
    measures: {},
  };
}

/**
 * The stage after an event, which names its side by session, or by number when it opens.
 * @param {Stage} stage
 * @param {Event} json
 * @returns {Stage}
 */
export function reduce(stage, json) {
  const event = /** @type {Message} */ (json);
  const raced = (/** @type {Side} */ side) =>
    event.did === "peeked" && event.head !== "" && side.of === event.session && side.branch === event.head;
  const about = (/** @type {Side} */ side) => side.session !== "" && side.session === event.session;
  const known = stage.sides.findIndex(stage.sides.some(raced) ? raced : about);
  const at = known >= 0 ? known : event.did === "opened" ? (event.side ?? 0) : -1;
  if (at < 0 || at >= stage.sides.length) return stage;
  const sides = stage.sides.slice();
  sides[at] = after(/** @type {Side} */ (stage.sides[at]), event);
  return { ...stage, sides };
}

/**
 * A side after one event.
 * @param {Side} side
 * @param {Message} event
 * @returns {Side}
 */
export function after(side, event) {
  if (event.n !== undefined && event.session === side.session && event.n <= side.n) return side; // received already
  const parts = side.parts || someParts(event.pieces);
  const next = { ...side, n: event.n ?? side.n, pieces: spelled(side.pieces, event.pieces), parts };
  switch (event.did) {
    case "opened":
      return opened(next, event);
    case "stepped":
      return { ...timed(next, event.at ?? 0, stepped(next, event)), done: event.done, waiting: null, failed: "" };
    case "edited": {
      const moment = edited(next, event);
      return {
        ...timed(next, event.at ?? 0, moment),
        done: moment?.open === 0,
        failed: "",
        peeks: new Map(),
        comparison: null,
      };
    }
    case "snapshot":
      return snapshot(next, event);
    case "moved": {
      const moments =
        event.length && event.length < side.moments.length ? side.moments.slice(0, event.length) : side.moments;
      const waiting = event.playing ? side.waiting : null; // who pauses gives the place up
      return { ...next, moments, playing: event.playing, done: finished(moments), waiting };
    }
    case "peeked":
      return peeked(next, event);
    case "branched":
      return { ...branched(next, event), comparison: null };
    case "compare":
      return { ...next, tree: event.branches, comparison: event.one ? event : next.comparison };
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
    case "allowed":
    case "beat":
    case "familiar":
    case "rule_doubt":
    case "followers":
    case "history":
    case "judged":
    case "loading":
    case "nonsense":
    case "planned":
    case "settled":
      return next; // these change nothing of a run
    default:
      return unknown(event, next);
  }
}

/** An event that a feature adds changes nothing of a run; one of the protocol that `after` forgets does not type-check.
 * @param {never} event
 * @param {Side} side
 */
function unknown(event, side) {
  void event;
  return side;
}

/**
 * @param {Map<number, string>} known
 * @param {Record<string, string> | undefined} more
 */
function spelled(known, more) {
  if (!more) return known;
  const pieces = new Map(known);
  for (const [token, piece] of Object.entries(more)) pieces.set(Number(token), piece);
  return pieces;
}

/** @param {Record<string, string> | undefined} pieces */
function someParts(pieces) {
  return pieces !== undefined && Object.values(pieces).some((piece) => isPart(piece) || mayJoin(piece));
}

/**
 * @param {Side} side
 * @param {OpenedEvent} event
 * @returns {Side}
 */
function opened(side, event) {
  const head = event.head ?? {};
  const identity = {
    source: /** @type {"replay" | "live"} */ (event.session === "replay" ? "replay" : "live"),
    session: event.session ?? "",
    keys: event.keys ?? {},
    n: event.n ?? 0,
    head,
    width: head.width ?? 2,
  };
  const pieces = spelled(new Map(), event.pieces);
  return {
    ...emptySide(),
    ...identity,
    pieces,
    parts: someParts(event.pieces),
    moments: [first(canvasOf(event.canvas))],
  };
}

/** What the model believed at a cell, on the present branch or on one that was left.
 * @param {Side} side
 * @param {import("./messages.d.ts").PeekedEvent} event
 * @returns {Side}
 */
function peeked(side, { cell, at, about, head }) {
  const own = !head || side.of !== "";
  const peeks = new Map(own ? side.peeks : side.peeksOf.get(head)).set(`${cell}:${at}`, about);
  return own ? { ...side, peeks } : { ...side, peeksOf: new Map(side.peeksOf).set(head, peeks) };
}

/**
 * Another branch is being written: a new one that begins at a moment of the last, or one that is here already.
 * @param {Side} side
 * @param {BranchedEvent} event
 * @returns {Side}
 */
function branched(side, event) {
  const heads = /** @type {Record<string, number>} */ (event.heads ?? {});
  const branches = new Map(side.branches);
  if (!event.left) {
    // a branch has another name, or is gone
    const fresh = Object.keys(heads).find((name) => name !== event.head && name !== side.branch && !branches.has(name));
    const stale = [...branches.keys()].filter((name) => !(name in heads));
    const renamed = fresh !== undefined && stale.length === 1 ? branches.get(stale[0] ?? "") : undefined;
    for (const name of stale) branches.delete(name);
    if (renamed && fresh !== undefined) branches.set(fresh, renamed);
    return { ...side, branch: event.head, branches, heads };
  }
  branches.set(event.left, side.moments);
  const moments = branches.get(event.head) ?? side.moments.slice(0, (event.at ?? 0) + 1);
  branches.delete(event.head);
  for (const [name, left] of branches) {
    const newest = heads[name]; // undo takes a branch away, or the moments that followed
    if (newest === undefined) branches.delete(name);
    else if (newest < left.length - 1) branches.set(name, left.slice(0, newest + 1));
  }
  const done = finished(moments);
  return { ...side, branch: event.head, branches, heads, moments, done, failed: "", waiting: null, peeks: new Map() };
}

/**
 * Put a moment into the timeline; what was after it is gone, and what was missed before it is marked as a gap.
 * @param {Side} side
 * @param {number} at
 * @param {Moment | null} moment
 * @returns {Side}
 */
function timed(side, at, moment) {
  if (!moment) return side;
  const moments = side.moments.slice(0, at);
  const last = moments[moments.length - 1] ?? moment;
  while (moments.length < at) moments.push({ ...last, kind: "gap", fresh: [] });
  moments.push(moment);
  return { ...side, moments };
}

/**
 * @param {Side} side
 * @param {SnapshotEvent} event
 * @returns {Side}
 */
function snapshot(side, event) {
  const length = event.length || (event.at ?? 0) + 1;
  if (side.moments.length >= length) {
    const moments = side.moments.slice(0, length); // an edit was undone
    return { ...side, moments, playing: event.playing, done: finished(moments), peeks: new Map() };
  }
  const canvas = canvasOf(event.canvas);
  const last = side.moments[side.moments.length - 1];
  const moment = { ...(last ?? first(canvas)), ...first(canvas), kind: /** @type {const} */ ("gap") };
  if (last) Object.assign(moment, { passes: last.passes, cost: last.cost, clock: last.clock });
  return { ...timed(side, event.at ?? 0, moment), playing: event.playing, done: moment.open === 0 };
}

/** @param {Moment[]} moments */
function finished(moments) {
  const last = moments[moments.length - 1];
  return last !== undefined && last.open === 0 && (last.event?.done ?? true);
}
