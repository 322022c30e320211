// Text behind cells that came or went knows where it stood.
import assert from "node:assert/strict";
import { test } from "node:test";
import { doneOf } from "../../../assets/steer/edits.js";
import { moved } from "../../../assets/stage/slide.js";

test("what stands behind an inserted or a removed cell has moved, and nothing else", () => {
  const row = Int32Array.from([0, 1, 2, 3]);
  assert.deepEqual(moved(row, row), []);
  assert.deepEqual(moved(row, Int32Array.from([0, 1, 4, 5, 2, 3])), [[4, 2], [5, 3]]); // prettier-ignore
  assert.deepEqual(moved(row, Int32Array.from([0, 2, 3])), [[1, 2], [2, 3]]); // prettier-ignore
});

test("a wish of the model is said as its own", () => {
  const say = () => "";
  assert.equal(doneOf({ do: "stretch", at: 4, by: 2, own: true }, say), "The model asked for 2 cells more.");
  assert.equal(doneOf({ do: "stretch", at: 4, by: -1, own: true }, say), "The model gave back a cell that it did not need."); // prettier-ignore
  assert.equal(doneOf({ do: "stretch", at: 4, by: 2, own: false }, say), "Inserted 2 cells before cell 4.");
});
