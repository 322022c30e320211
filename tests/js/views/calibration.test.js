// Guesses beside what came to stand: counted by how sure they were, and only where something stands.
import assert from "node:assert/strict";
import { test } from "node:test";
import { calibration } from "../../../assets/views/calibration.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened, packed, stepped } from "../runs.js";

test("half of the guesses of a tenth came to stand", () => {
  const guess = { g: packed([-1, 2, 2, 3, 3]), s: packed([0, 200, 200, 200, 200], 1) };
  const events = [opened(), stepped(1, [], [], guess), stepped(2, [1, 2, 3, 4], [2, 3, 3, 2], { ...guess, open: 0 })];
  const side = /** @type {any} */ (events.reduce(reduce, { sides: [emptySide()] }).sides[0]);
  assert.deepEqual(calibration(side, 2), [{ sure: 200 / 255, stood: 0.5, count: 8 }]);
  assert.deepEqual(calibration(side, 1), []); // nothing stands yet
});
