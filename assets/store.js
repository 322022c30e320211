/** From events to a timeline: a pure reducer. A lane keeps every moment it was told, so that looking back is an index. */

import { edited, first, stepped } from "./moment.js";
import { canvasOf } from "./wire.js";

/** @typedef {import("./wire.js").Event} Event */
/** @typedef {import("./moment.js").Moment} Moment */

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
