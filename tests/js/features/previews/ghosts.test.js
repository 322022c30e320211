// The text of a preview that does not fit into the places of the old words: it flows over their lines, readable.
import assert from "node:assert/strict";
import { test } from "node:test";
import { flowed } from "../../../../dllm/features/previews/ghosts.js";

const measure = (/** @type {string} */ text) => text.length;
const words = (/** @type {string} */ text) => text.split(" ").map((word) => ({ text: ` ${word}`, fresh: true }));
const shown = (/** @type {{text: string}[][]} */ lines) => lines.map((line) => line.map(({ text }) => text).join(""));
const lines = (/** @type {number[]} */ ...rooms) => rooms.map((room, cell) => ({ cell, room }));

test("words break at the ends of the lines, in letters as large as the old", () => {
  const { small, lines: own } = flowed(words("he had dropped it"), lines(7, 12), measure, 0.6);
  assert.deepEqual([small, shown(own)], [1, [" he had", " dropped it"]]);
});

test("letters become smaller until the text fits", () => {
  const { small, lines: own } = flowed(words("he had dropped it"), lines(7, 8), measure, 0.6);
  assert.ok(small < 1 && small >= 0.6);
  assert.equal(shown(own).join(""), " he had dropped it");
});

test("what does not fit at the smallest size is left out, and the last word says so", () => {
  const { small, lines: own } = flowed(words("he had dropped it on the floor of the shed"), lines(7, 8), measure, 0.9);
  assert.ok(small >= 0.9);
  assert.equal(shown(own).at(-1)?.endsWith(" …"), true);
});

test("a line without room for any word stays empty", () => {
  assert.deepEqual(shown(flowed(words("dropped"), lines(2, 9), measure, 0.9).lines), ["", " dropped"]);
});
