// Questions about a cell: the first at once, the next when the last was answered and some time has passed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Curiosity } from "../../assets/curiosity.js";
import { emptyLane, reduce } from "../../assets/store.js";
import { opened, stepped } from "./runs.js";

/** @param {...any} events */
function lane(...events) {
  return events.reduce(reduce, { lanes: [emptyLane()] }).lanes[0];
}

/** @param {number} at */
function answer(at) {
  const told = { candidates: [[2, " two", 0.8]], entropy: 0.5, margin: 0.6 };
  return { did: "peeked", session: "s", n: 10 + at, cell: 1, at, told };
}

test("another cell is asked about at once, the same one not with every pass", async () => {
  /** @type {string[]} */
  const asked = [];
  /** @type {(value: unknown) => void} */
  let resolve = () => {};
  const promise = new Promise((done) => (resolve = done));
  const curiosity = new Curiosity(
    (_, { cell, at }) => asked.push(`${cell}:${at}`),
    () => resolve(true),
  );
  const run = lane(opened(), stepped(1, [], []));
  curiosity.wonder(run, 1, 1);
  curiosity.wonder(run, 1, 1); // the answer is on its way
  curiosity.wonder(run, 1, 2);
  assert.deepEqual(asked, ["1:1", "2:1"]);
  curiosity.wonder(run, 1, 1);
  curiosity.answered();
  const later = lane(opened(), stepped(1, [], []), answer(1), stepped(2, [], [], { n: 12 }));
  curiosity.wonder(later, 1, 1); // known
  curiosity.wonder(later, 2, 1); // known of a pass ago
  assert.deepEqual(asked, ["1:1", "2:1", "1:1"]);
  assert.ok(await promise); // and then it wonders again
  curiosity.wonder(later, 2, 1);
  assert.equal(asked.at(-1), "1:2");
});
