// What is known of one cell: the newest that is known, and what its guess turned at.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lastBelief, turning } from "../../assets/belief.js";
import { emptySide, reduce } from "../../assets/store.js";
import { opened, packed, stepped } from "./runs.js";

/** @param {...any} events */
function side(...events) {
  return events.reduce(reduce, { sides: [emptySide()] }).sides[0];
}

const peeked = (/** @type {number} */ at) => ({
  did: "peeked",
  session: "s",
  n: 10 + at,
  cell: 1,
  at,
  told: { candidates: [[2, " two", 0.8]], entropy: 0.5, margin: 0.6 },
});

test("an answer that comes late is shown with the pass it speaks of", () => {
  const run = side(opened(), stepped(1, [], []), stepped(2, [2], [2]), peeked(1));
  assert.equal(lastBelief(run, 2, 1)?.at, 1);
  assert.equal(lastBelief(run, 2, 3), null);
  assert.equal(lastBelief(run, 1, 1)?.candidates[0]?.piece, " two");
});

test("a guess is shown with what was written just before it turned", () => {
  const other = packed([-1, 3, 3, 3, 3]);
  const run = side(opened(), stepped(1, [2], [2]), stepped(2, [], [], { g: other }));
  assert.equal(turning(run, 2, 1), "Its likeliest word turned to “three” at pass 2, just after “two” came to stand.");
  assert.equal(turning(run, 1, 1), "Its likeliest word has been “two” from the first pass on.");
  assert.equal(turning(run, 0, 1), "");
});
