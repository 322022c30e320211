// What a first visit is told, and what followed a person's word.
import assert from "node:assert/strict";
import { test } from "node:test";
import { captionOf, invitedCell } from "../../../assets/views/captions.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened, stepped } from "../runs.js";

const NOW = { first: true, at: 0, ahead: false, over: false, invited: true, changed: false };

test("the captions follow the first looks, and the invitation comes at the end", () => {
  const steps = [{}, { ahead: true }, { at: 1 }, { at: 1, ahead: true }, { at: 2 }, { at: 3 }, { at: 9, over: true }];
  assert.deepEqual(
    steps.map((more) => captionOf({ ...NOW, ...more })),
    ["", "guesses", "keeps", "again", "again", "", "change"],
  );
  assert.equal(captionOf({ ...NOW, over: true, invited: false }), "");
  assert.equal(captionOf({ ...NOW, first: false, at: 1 }), "");
  assert.equal(captionOf({ ...NOW, over: true, changed: true }), "changed");
  assert.equal(captionOf({ ...NOW, over: false, changed: true }), "");
});

test("a word that comes again is the one to change", () => {
  const pieces = { 1: " one", 2: " two", 3: " pink", 4: " jar" };
  const start = { ...opened(5), pieces };
  const run = (/** @type {number[]} */ tokens) =>
    /** @type {any} */ ([start, stepped(1, [1, 2, 3, 4], tokens)].reduce(reduce, { sides: [emptySide()] })).sides[0];
  const before = run([3, 4, 3, 2]);
  assert.equal(invitedCell(before, 1), 1);
});
