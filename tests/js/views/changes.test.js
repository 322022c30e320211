// What a person changed in a run: it adds up, and what only moved has not changed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import {
  changeIn,
  changeRequest,
  changesOf,
  followed,
  textBefore,
  wordsIn,
  wordStart,
} from "../../../assets/views/changes.js";
import { opened, stepped as numbered } from "../runs.js";

const PIECES = { 1: " some", 2: " pink", 3: " jar", 4: " blue", 5: " bi", 6: "cycle", 7: " Toby", 8: " Dad" };
/** @param {Parameters<typeof numbered>} step */
const stepped = (...step) => ({ ...numbered(...step), n: undefined }); // on several branches
const start = { ...opened(5), pieces: PIECES };
const branch = (/** @type {string} */ head, /** @type {number} */ at, left = "1") => ({
  did: "branched", session: "s", head, left, at, heads: { 1: 3, 2: 4, 3: 5, [head]: 9 },
}); // prettier-ignore
/** @param {number} at @param {object} edit @param {number[]} tokens @param {string} kinds @param {object} more */
const edited = (at, edit, tokens, kinds, more = {}) => ({
  did: "edited", session: "s", at, edit, canvas: { tokens, kinds, ...more },
}); // prettier-ignore
const pin = (/** @type {number[]} */ cells, /** @type {number[]} */ tokens) => ({ do: "pin", cells, tokens });

/** @param {any[]} events */
const sideOf = (...events) => /** @type {any} */ (events.reduce(reduce, { sides: [emptySide()] })).sides[0];
const FIRST = [start, stepped(1, [1, 4], [7, 3]), stepped(2, [2], [2]), stepped(3, [3, 5], [3, 2], { open: 0 })];
const BLUE = [
  branch("2", 1),
  edited(2, pin([2], [4]), [1, 7, 4, -1, 3, -1], "gwpowo"),
  stepped(3, [3, 5], [3, 4], { open: 0 }),
];
const DAD = [
  branch("3", 0, "2"),
  edited(1, pin([2], [4]), [1, -1, 4, -1, -1, -1], "gopooo"),
  edited(2, pin([1], [8]), [1, 8, 4, -1, -1, -1], "gppooo"),
  stepped(3, [3, 4, 5], [3, 3, 4], { open: 0 }),
];

test("changes add up, and what followed is counted against the text before the first", () => {
  const one = sideOf(...FIRST, ...BLUE);
  assert.deepEqual(changesOf(one).map(({ cells }) => cells), [[2]]); // prettier-ignore
  assert.equal(textBefore(one)?.name, "1");
  assert.deepEqual(followed(one), [5]);
  const two = sideOf(...FIRST, ...BLUE, ...DAD);
  assert.deepEqual(changesOf(two).map(({ at, cells }) => [at, cells]), [[1, [2]], [2, [1]]]); // prettier-ignore
  assert.deepEqual(followed(two), [5]);
  assert.equal(changeIn(two, 3, 1)?.at, 2);
  assert.equal(changeIn(two, 3, 5), null);
  assert.equal(textBefore(sideOf(...FIRST)), null);
});

test("another comma is no word that followed", () => {
  const marks = { ...start, pieces: { ...PIECES, 4: "," } };
  const side = sideOf(marks, ...FIRST.slice(1), ...BLUE); // pink, set by hand and written again, is a comma here
  assert.deepEqual(followed(side), []);
});

test("a text that was not finished is compared with nothing", () => {
  assert.equal(textBefore(sideOf(...FIRST.slice(0, 3), ...BLUE)), null);
});

test("a longer word shifts the rest, and only what differs has followed; its parts are one word", () => {
  const side = sideOf(
    ...FIRST,
    branch("2", 0),
    edited(1, pin([1, 2], [5, 6]), [1, 5, 6, -1, -1, -1, -1], "gppoooo", { ids: [0, 1, 2, 3, 4, 5, 6] }),
    stepped(2, [3, 4, 5, 6], [2, 3, 5, 6], { open: 0, g: undefined, s: undefined }),
  );
  assert.deepEqual(followed(side), [5, 6]); // pink and jar only moved
  assert.equal(wordsIn(side, side.moments[2], followed(side)), 1);
  assert.equal(wordStart(side, 2, 2), 1); // a word of two tokens is changed whole
  const canvas = [[1, 5, 6, -1, -1, -1, -1], "gppoooo", { ids: [0, 1, 6, 2, 3, 4, 5] }];
  const inserted = sideOf(...FIRST, branch("2", 0), edited(1, { ...pin([1, 2], [5, 6]), insert: 1 }, .../** @type {[any, any, any]} */ (canvas))); // prettier-ignore
  assert.deepEqual(changesOf(inserted)[0]?.cells, [1, 2]);
});

test("a word of one's own takes the place of a whole word, also of one of several tokens", () => {
  const side = sideOf(start, stepped(1, [1, 2], [5, 6]), stepped(2, [3, 4, 5], [7, 3, 2], { open: 0 }));
  const request = { do: "pin", at: 1, text: "car", over: 2, at_moment: 0, keep: true };
  for (const cell of [1, 2]) assert.deepEqual(changeRequest(side, 2, cell, { text: "car" }), request);
});

test("a change goes back to before its word was written, and keeps the others", () => {
  const one = sideOf(...FIRST);
  assert.deepEqual(changeRequest(one, 3, 2, { token: 4 }), {
    do: "pin", cells: [2], tokens: [4], at_moment: 1, keep: true,
  }); // prettier-ignore
  assert.deepEqual(changeRequest(one, 3, 5, { text: "red" }), {
    do: "pin", at: 5, text: "red", over: 1, at_moment: 2, keep: true,
  }); // prettier-ignore
  const open = sideOf(...FIRST.slice(0, 2));
  assert.deepEqual(changeRequest(open, 1, 2, { token: 4 }), { do: "pin", cells: [2], tokens: [4] }); // not written yet
});

test("where words have no spaces between them, each token is a word: one amino acid is changed, not the whole chain", () => {
  const [alone, chain] = [{ spaced: true }, { spaced: false }].map((model) =>
    sideOf(
      { ...opened(4, { model }), pieces: { 1: "E", 2: "V", 3: "Q" } },
      stepped(1, [1, 2], [2, 3]),
      stepped(2, [3, 4], [2, 3], { open: 0 }),
    ),
  );
  assert.deepEqual(changeRequest(chain, 2, 3, { text: "W" }), {
    do: "pin", at: 3, text: "W", over: 1, at_moment: 1, keep: true,
  }); // prettier-ignore
  assert.equal(wordsIn(chain, chain.moments[2], [1, 2, 3]), 3);
  assert.equal(changeRequest(alone, 2, 3, { text: "W" }).over, 4); // in a language, letters make one word
});
