// A schedule as it is made: each cell has the number of its pass.
import assert from "node:assert/strict";
import { test } from "node:test";
import { moved, sizes } from "../../../../dllm/features/classroom/schedule.js";

test("a click takes a cell to the next pass, and from the last to the first", () => {
  assert.equal(moved("1111", 2, 3), "1121");
  assert.equal(moved("1121", 2, 3), "1131");
  assert.equal(moved("1131", 2, 3), "1111");
});

test("how many cells each pass writes", () => {
  assert.deepEqual(sizes("2113"), [2, 1, 1]);
  assert.deepEqual(sizes("1313"), [2, 2]); // a pass that writes nothing is none
  assert.deepEqual(sizes(""), []);
});
