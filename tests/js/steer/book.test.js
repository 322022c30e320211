import assert from "node:assert/strict";
import { test } from "node:test";

import * as book from "../../../assets/steer/book.js";

test("sizes and times have no more digits than tell something", () => {
  assert.equal(book.size(25_751_480), "26 MB");
  assert.equal(book.size(1_249_000_000), "1.2 GB");
  assert.deepEqual([0.0123, 0.83, 2.04, 12.4].map(book.time), ["12 ms", "0.8 s", "2.0 s", "12 s"]);
});

test("what is done with files that are here is said step by step", () => {
  /** @param {string} stage */
  const step = (stage, done = 0, total = 1) =>
    book.stageSentence({ model: "/some/folder/Tiny?number=int8", stage, done, total });
  assert.equal(step("reading"), "Opening Tiny: its files are read …");
  assert.equal(step("converting", 12, 28), "Opening Tiny: layer 12 of 28 is converted for this machine, once …");
  assert.equal(step("comparing"), "Opening Tiny: eight bits are compared with full precision …");
  assert.equal(step("testing"), "Opening Tiny: self-test …");
});
