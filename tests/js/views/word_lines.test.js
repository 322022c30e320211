// The lines of a word's likeliest words: their values, where they break, and the numbers under them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { named } from "../../../assets/views/axis.js";
import { heightOf, lineOf, looksAt } from "../../../assets/views/word_lines.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened, stepped } from "../runs.js";

/** @param {...any} events */
function side(...events) {
  return events.reduce(reduce, { sides: [emptySide()] }).sides[0];
}

test("a line breaks where its word was not among the likeliest", () => {
  const looks = [0.1, null, 0.2, 0.4].map((share, i) => ({ at: i + 1, shares: [share] }));
  assert.equal(lineOf(looks, 0, 0.5), "M0.0 80.0h0M666.7 60.0h0L1000.0 20.0");
  assert.equal(lineOf(looks, 1, 0.5), "");
});

test("the axis ends above the largest value", () => {
  assert.equal(heightOf([{ at: 1, shares: [0.17, null, 0.02] }]), 0.25);
  assert.equal(heightOf([{ at: 1, shares: [0.6] }]), 1);
  assert.equal(heightOf([]), 0.05);
});

test("the first and the last look are named, and a few between that do not touch", () => {
  assert.deepEqual(named(3), [0, 1, 2]);
  assert.deepEqual(named(1), [0]);
  for (let count = 2; count < 120; count++) {
    const shown = named(count);
    assert.ok(shown[0] === 0 && shown[shown.length - 1] === count - 1 && shown.length <= 5, `${count}: ${shown}`);
    const gaps = shown.slice(1).map((at, i) => at - (shown[i] ?? 0));
    assert.ok(Math.min(...gaps) * 2 > Math.max(...gaps), `${count}: ${shown}`);
  }
});

test("what the server answers of each look is drawn", () => {
  const about = { candidates: [[2, " two", 0.8]], shares: [[1, 0.4], [2, 0.8]], entropy: 0.5, margin: 0.6 }; // prettier-ignore
  const answer = { did: "peeked", session: "s", n: 12, cell: 1, at: 2, about };
  const run = side(opened(), stepped(1, [], []), stepped(2, [2], [2]), answer);
  const belief = { at: 2, candidates: [{ token: 2, piece: " two", share: 0.8 }] };
  assert.deepEqual(looksAt(run, 2, 1, belief), [{ at: 1, shares: [0.4] }, { at: 2, shares: [0.8] }]); // prettier-ignore
});
