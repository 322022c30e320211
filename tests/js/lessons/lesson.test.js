import assert from "node:assert/strict";
import { test } from "node:test";

import { withValues } from "../../../assets/lessons/lesson.js";

test("a number in the prose changes the run behind it, and not the lesson", () => {
  const order = { prompt: "a", seed: 1, changes: { passes: 4, options: { tau: 0.9, near: 1 } } };
  const made = withValues(order, { passes: 9, seed: 3, "options.tau": 0.5 });
  assert.deepEqual(made, { prompt: "a", seed: 3, changes: { passes: 9, options: { tau: 0.5, near: 1 } } });
  assert.deepEqual(order.changes, { passes: 4, options: { tau: 0.9, near: 1 } });
});
