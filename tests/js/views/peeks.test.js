// Questions about a cell: the first at once, the next when the last was answered and some time has passed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { effect } from "../../../assets/vendor/signals-core.js";
import { Peeks } from "../../../assets/views/peeks.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened, stepped } from "../runs.js";

/** @param {...any} events */
function side(...events) {
  return events.reduce(reduce, { sides: [emptySide()] }).sides[0];
}

/** @param {number} at */
function answer(at) {
  const about = { candidates: [[2, " two", 0.8]], entropy: 0.5, margin: 0.6 };
  return { did: "peeked", session: "s", n: 10 + at, cell: 1, at, about };
}

test("another cell is asked about at once, the same one not with every pass", async () => {
  /** @type {string[]} */
  const sent = [];
  /** @type {(value: unknown) => void} */
  let resolve = () => {};
  const promise = new Promise((done) => (resolve = done));
  const peeks = new Peeks((_, { cell, at }) => sent.push(`${cell}:${at}`));
  effect(() => void (peeks.state.rests && resolve(true)));
  const run = side(opened(), stepped(1, [], []));
  peeks.request(run, 1, 1);
  peeks.request(run, 1, 1); // the answer is on its way
  peeks.request(run, 1, 2);
  assert.deepEqual(sent, ["1:1", "2:1"]);
  peeks.request(run, 1, 1);
  peeks.answered();
  const later = side(opened(), stepped(1, [], []), answer(1), stepped(2, [], [], { n: 12 }));
  peeks.request(later, 1, 1); // known
  peeks.request(later, 2, 1); // known of a pass ago
  assert.deepEqual(sent, ["1:1", "2:1", "1:1"]);
  assert.ok(await promise); // and then it asks again
  peeks.request(later, 2, 1);
  assert.equal(sent.at(-1), "1:2");
});
