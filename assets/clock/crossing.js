/** Speed against users at once, for a run and its twin on another machine, and where they cross. Pure. */

import { firstPass, speedOf } from "./sentence.js";

/** @typedef {import("./machine.js").Machine} Machine */
/** @typedef {import("./sentence.js").Run} Run */

/**
 * @typedef {object} Point
 * @property {number} users
 * @property {number} perUser tokens a second
 * @property {number} total tokens a second of all users
 * @property {number} firstPass seconds, in which the prompt is read
 * @property {number} perMillion cost of a million tokens
 */

/** @typedef {{run: Point[], twin: Point[], at: number}} Crossing `at` is NaN where they do not cross */

export const USERS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** A side's speed with so many users.
 * @param {Machine} machine
 * @param {Run} run
 * @param {number} users
 * @param {number} price of an hour of the machine
 * @returns {Point}
 */
export function pointOf(machine, run, users, price) {
  const shared = { ...machine, users };
  const perUser = speedOf(shared, run);
  const total = users * perUser;
  const perMillion = total ? (price / 3600 / total) * 1e6 : 0;
  return { users, perUser, total, firstPass: firstPass(shared, run), perMillion };
}

/** Both curves, and the first number of users at which the side that was faster for one user no longer is.
 * @param {Machine} machine
 * @param {Run} run
 * @param {Run} twin
 * @param {number} price of an hour of the machine
 * @returns {Crossing}
 */
export function crossing(machine, run, twin, price) {
  const lead = (/** @type {number} */ users) =>
    pointOf(machine, run, users, 0).perUser - pointOf(machine, twin, users, 0).perUser;
  let [low, high] = [/** @type {number} */ (USERS[0]), /** @type {number} */ (USERS[USERS.length - 1])];
  let at = NaN;
  if (run.tokens && twin.tokens && lead(low) * lead(high) < 0) {
    const began = lead(low);
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (lead(middle) * began > 0) low = middle;
      else high = middle;
    }
    at = high;
  }
  const curve = (/** @type {Run} */ side) => USERS.map((users) => pointOf(machine, side, users, price));
  return { run: curve(run), twin: curve(twin), at };
}

/** A line for each number of users and side.
 * @param {Crossing} found
 */
export function toCsv(found) {
  const head =
    "side,users,tokens_per_second_per_user,tokens_per_second_total,first_pass_seconds,cost_per_million_tokens";
  const rows = [
    ["run", found.run],
    ["twin", found.twin],
  ].flatMap(([side, points]) =>
    /** @type {Point[]} */ (points).map((p) =>
      [side, p.users, ...[p.perUser, p.total, p.firstPass, p.perMillion].map(short)].join(","),
    ),
  );
  return [head, ...rows, ""].join("\n");
}

/** Six significant digits.
 * @param {number} value
 */
function short(value) {
  return String(Number(value.toPrecision(6)));
}
