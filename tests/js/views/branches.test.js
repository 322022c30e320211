// The tree of branches is drawn where they part, and what differs is said in words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { differenceOf, lines, nameOfBranch, nameOfChange } from "../../../assets/views/branches.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened } from "../runs.js";

const TREE = [
  { name: "1", end: 8, left: "", since: 0 },
  { name: "2", end: 6, left: "1", since: 4 },
  { name: "3", end: 8, left: "2", since: 5 },
];

test("a branch is a line from the moment it left another to its newest", () => {
  assert.deepEqual(lines(TREE), [
    { name: "1", row: 0, parent: 0, from: 0, to: 120 },
    { name: "2", row: 1, parent: 0, from: 60, to: 90 },
    { name: "3", row: 2, parent: 1, from: 75, to: 120 },
  ]);
});

test("what differs, since when and after which edit, in plain words", () => {
  const piece = (/** @type {number} */ token) => (token === 7 ? " blue" : " kite");
  const pinned = [{ do: "pin", tokens: [7], cells: [5] }];
  const found = { one: "1", two: "2", changed: [[5, 0], [9, 3]], edits: [[], pinned] }; // prettier-ignore
  assert.equal(
    differenceOf(found, piece),
    "2 cells differ between branches 1 and 2. The first differs at once. On branch 2 you pinned “blue”.",
  );
  const same = { one: "1", two: "2", changed: [], edits: [[{ do: "erase", cells: [1, 2] }], []] };
  assert.equal(differenceOf(same, piece), "Branches 1 and 2 have the same words. On branch 1 you erased 2 words.");
});

test("a branch is called by what a person changed on it; the first one is the first text", () => {
  const canvas = (/** @type {number[]} */ tokens, /** @type {string} */ kinds) => ({ tokens, kinds });
  const events = [
    opened(2),
    { did: "branched", session: "s", head: "2", left: "1", at: 0, heads: { 1: 0, 2: 0 } },
    { did: "edited", session: "s", at: 1, edit: { do: "pin", cells: [1], tokens: [2] }, canvas: canvas([1, 2, -1], "gpo") },
    { did: "edited", session: "s", at: 2, edit: { do: "ban", token: 3 }, canvas: canvas([1, 2, -1], "gpo") },
  ]; // prettier-ignore
  const side = /** @type {any} */ (events.reduce(reduce, { sides: [emptySide()] })).sides[0];
  assert.equal(nameOfBranch(side, { name: "2", end: 3, left: "1", since: 0 }), "with “two”, never “three”");
  assert.equal(nameOfBranch(side, { name: "1", end: 8, left: "", since: 0 }), "the first text");
  assert.equal(nameOfBranch(side, { name: "3", end: 8, left: "1", since: 2 }), ""); // the page has not seen it
  assert.equal(nameOfChange({ do: "erase", cells: [1, 2] }, String), "2 words erased");
});

test("the store keeps the tree, and a comparison until the branch is another", () => {
  let stage = reduce({ sides: [emptySide()] }, opened());
  stage = reduce(stage, { did: "compare", session: "s", branches: TREE });
  assert.equal(stage.sides[0]?.tree.length, 3);
  assert.equal(stage.sides[0]?.comparison, null);
  stage = reduce(stage, { did: "compare", session: "s", branches: TREE, one: "1", two: "2", changed: [[1, 0]] });
  assert.equal(stage.sides[0]?.comparison?.two, "2");
  stage = reduce(stage, { did: "branched", session: "s", n: 9, head: "2", left: "1", at: 0, heads: { 1: 0, 2: 0 } });
  assert.equal(stage.sides[0]?.comparison, null);
});
