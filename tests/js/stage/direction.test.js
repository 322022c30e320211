// What one side knows of its text before it is painted.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromRight } from "../../../assets/stage/direction.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened } from "../runs.js";

test("a text that begins in Arabic or Hebrew is laid out from the right, any other from the left", () => {
  const run = (/** @type {string} */ piece) =>
    reduce({ sides: [emptySide()] }, { ...opened(2), pieces: { 1: piece } }).sides[0];
  const right = ["قصة", "3. שלום", " one", "故事", "12"].map((piece) => fromRight(/** @type {any} */ (run(piece))));
  assert.deepEqual(right, [true, true, false, false, false]);
  assert.equal(fromRight(emptySide()), false);
});
