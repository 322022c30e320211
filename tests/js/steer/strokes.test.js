// A schedule drawn by hand.
import assert from "node:assert/strict";
import { test } from "node:test";
import { stroke } from "../../../assets/steer/strokes.js";

test("a stroke fills what lies between, and a schedule never becomes nothing", () => {
  assert.deepEqual(stroke([0.5, 0.5, 0.5], [0, 0], [2, 1]), [0, 0.5, 1]);
  assert.deepEqual(stroke([0.5, 0.5, 0.5], [2, 1], [0, 0]), [0, 0.5, 1]);
  assert.deepEqual(stroke([0, 0.5], [1, -3], [1, -3]), [0, 0.5]);
});
