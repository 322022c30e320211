// What the first look of a run would write at a threshold.
import assert from "node:assert/strict";
import { test } from "node:test";
import { aboveAtFirst } from "../../../assets/panels/first_look.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened, stepped } from "../runs.js";

/** @param {...any} events */
function side(...events) {
  return events.reduce(reduce, { sides: [emptySide()] }).sides[0];
}

test("places above the threshold are found, of those that may be written first", () => {
  const run = side(opened(), stepped(1, [1], [2])); // 80, 40, 20 and 4 %
  assert.deepEqual(aboveAtFirst(run, 0.3), { may: 4, above: [1, 2] });
  assert.deepEqual(aboveAtFirst(run, 0.9), { may: 4, above: [] });
  const blocks = side(opened(4, { settings: { block: 2 } }), stepped(1, [1], [2]));
  assert.deepEqual(aboveAtFirst(blocks, 0.01), { may: 2, above: [1, 2] });
});

test("nothing is claimed of a run without a look", () => {
  assert.deepEqual(aboveAtFirst(side(opened()), 0.3), { may: 0, above: [] });
  assert.deepEqual(aboveAtFirst(emptySide(), 0.3), { may: 0, above: [] });
});
