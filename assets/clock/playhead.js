/** Which moment each side shows: two sides on one clock, and a head that moves along it. Pure. */

import { FIRST_LOOKS } from "../views/captions.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("../wire/timeline.js").Moment} Moment */

/**
 * @typedef {object} Playhead
 * @property {"clock" | "pass"} axis device time, or passes counted
 * @property {number} at where on the axis
 * @property {boolean} playing
 * @property {boolean} following the newest moment is shown as it comes
 * @property {number} [hold] ms for which it stands before it goes on
 */

/** Ways of going on: by device time stretched `slow` times, or by `passes` a second; 0 is as fast as it comes.
 * One that `lasts` ends after so many ms at most; `looks` are the ms of the first passes of the first side.
 * A comfortable speed stretches device time so that the first side makes `passes` a second.
 * @typedef {{name: string, axis: "clock" | "pass", slow: number, passes: number, lasts?: number, looks?: number[]}} Speed
 */

/** @type {Speed[]} */
export const SPEEDS = [
  { name: "comfortable, 6 looks a second", axis: "clock", slow: 0, passes: 6 },
  { name: "as it comes", axis: "clock", slow: 0, passes: 0 },
  { name: "real time", axis: "clock", slow: 1, passes: 0 },
  { name: "5 × slower", axis: "clock", slow: 5, passes: 0 },
  { name: "20 × slower", axis: "clock", slow: 20, passes: 0 },
  { name: "80 × slower", axis: "clock", slow: 80, passes: 0 },
  { name: "look by look", axis: "pass", slow: 0, passes: 4 },
];

/** Recordings that the page shows: slow enough to be watched, and over in time. @type {Speed} */
export const RECORDED = { name: "recorded", axis: "clock", slow: 24, passes: 0, lasts: 14_000 };

/** The same on a first visit, where the first looks are slower. @type {Speed} */
export const FIRST_VISIT = { ...RECORDED, looks: FIRST_LOOKS };

/** For what is over in a few passes. @type {Speed} */
export const SLOW_MOTION = { name: "slow motion", axis: "clock", slow: 0, passes: 0.8 };

export const FEW = 12; // passes; a shorter run goes slower, or it would be over before it is seen
const SHORTEST = 2; // seconds that such a run takes
const GUESSED = 12; // ms a pass, until one was measured

const READING = 1600; // ms for which a finding stands still
const INSTANT = 1e-3; // an edit takes no device time, yet must have a place of its own

/** @type {WeakMap<Moment[], Float64Array>} */
const clocks = new WeakMap();

/**
 * Where each moment of a side lies on an axis; strictly rising.
 * @param {Side} side
 * @param {"clock" | "pass"} axis
 */
export function times(side, axis) {
  if (axis === "pass") return Float64Array.from(side.moments, (_, m) => m);
  const known = clocks.get(side.moments);
  if (known) return known;
  const row = new Float64Array(side.moments.length);
  for (let m = 1; m < row.length; m++) row[m] = Math.max((row[m - 1] ?? 0) + INSTANT, side.moments[m]?.clock ?? 0);
  clocks.set(side.moments, row);
  return row;
}

/**
 * The last moment of a side that is not later than the head.
 * @param {Side} side
 * @param {Playhead} head
 */
export function shown(side, head) {
  const newest = side.moments.length - 1;
  if (head.following || newest < 0) return newest;
  if (head.axis === "pass") return Math.max(0, Math.min(newest, Math.floor(head.at + 1e-9)));
  const row = times(side, "clock");
  let low = 0;
  let high = newest;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((row[middle] ?? 0) <= head.at + 1e-9) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * The end of the axis: the later of the sides' ends.
 * @param {Side[]} sides
 * @param {"clock" | "pass"} axis
 */
export function end(sides, axis) {
  return Math.max(0, ...sides.map((side) => times(side, axis)[side.moments.length - 1] ?? 0));
}

/**
 * The next or the last place at which a side changes, seen from what it shows; of any side where that one has none.
 * @param {Side[]} sides
 * @param {Playhead} head
 * @param {1 | -1} by
 * @param {number} of the side that is looked at
 */
export function neighbour(sides, head, by, of) {
  const looked = sides[of];
  for (const some of [looked ? [looked] : [], sides]) {
    const places = some.flatMap((side) => times(side, head.axis)[shown(side, head) + by] ?? []);
    if (places.length) return by > 0 ? Math.min(...places) : Math.max(...places);
  }
  return head.at;
}

/**
 * Where a moment of a side lies.
 * @param {Side} side
 * @param {number} moment
 * @param {"clock" | "pass"} axis
 */
export function placeOf(side, moment, axis) {
  return times(side, axis)[moment] ?? 0;
}

/**
 * The head after some milliseconds of playing what is already here.
 * @param {Playhead} head
 * @param {Speed} speed
 * @param {number} elapsed
 * @param {Side[]} sides
 * @returns {Playhead}
 */
export function advanced(head, speed, elapsed, sides) {
  if (!head.playing || head.following) return head;
  if (head.hold) return { ...head, hold: Math.max(0, head.hold - elapsed) };
  const last = end(sides, head.axis);
  const at = head.at + elapsed / slowness(head, speed, sides);
  const found = firstFinding(head, at, sides);
  if (found > 0) return { ...head, at: found, hold: READING };
  if (at < last) return { ...head, at };
  const goesOn = sides.some((side) => side.source === "live" && !side.done);
  return { ...head, at: last, following: goesOn, playing: goesOn };
}

/** The first place up to another at which a check found something: its reason is to be read.
 * @param {Playhead} head @param {number} to @param {Side[]} sides
 */
function firstFinding(head, to, sides) {
  const places = sides.flatMap((side) => {
    const row = times(side, head.axis);
    return side.moments.flatMap(({ event }, m) => (event?.edit?.do === "find" ? [row[m] ?? 0] : []));
  });
  const coming = places.filter((place) => place > head.at + 1e-9 && place <= to);
  return coming.length ? Math.min(...coming) : 0;
}

/**
 * The ms that pass on the wall while the head goes on by one, where it stands.
 * @param {Playhead} head
 * @param {Speed} speed
 * @param {Side[]} sides
 */
export function slowness(head, speed, sides) {
  if (head.axis === "pass") return 1000 / (speed.passes || 4);
  const [first] = sides;
  if (first && speed.looks) {
    const at = shown(first, head);
    const row = times(first, "clock");
    const wall = speed.looks[at] ?? 0;
    const span = (row[at + 1] ?? 0) - (row[at] ?? 0);
    if (wall && span > 0) return wall / span;
  }
  return stretch(speed, sides) || 1;
}

/**
 * The same place on another axis, seen from the side that has gone further.
 * @param {Playhead} head
 * @param {Side[]} sides
 * @param {"clock" | "pass"} axis
 * @returns {Playhead}
 */
export function onAxis(head, sides, axis) {
  if (head.axis === axis) return head;
  const at = Math.max(0, ...sides.map((side) => placeOf(side, shown(side, head), axis)));
  return { ...head, axis, at };
}

/**
 * How many times device time is stretched at a speed; 0 where it is not stretched at all.
 * @param {Speed} speed
 * @param {Side[]} sides
 */
export function stretch(speed, sides) {
  if (speed.lasts) return Math.min(speed.slow, Math.max(1, speed.lasts / Math.max(1, end(sides, "clock"))));
  if (speed.axis === "pass" || !speed.passes) return speed.slow;
  const last = sides[0]?.moments[sides[0].moments.length - 1];
  const pass = last?.passes && last.clock ? last.clock / last.passes : GUESSED;
  const few = sides[0]?.done ? (last?.passes ?? 0) : Number(sides[0]?.head.settings?.passes ?? Infinity);
  const rate = few > 0 && few < FEW ? Math.min(speed.passes, few / SHORTEST) : speed.passes;
  return Math.max(1, 1000 / rate / pass);
}
