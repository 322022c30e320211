// The text on the stage, taken up: its prompt, and gaps where cells are open or are to be.
import assert from "node:assert/strict";
import { test } from "node:test";
import { takenText } from "../../../assets/ask/taken.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened } from "../runs.js";

/** @param {number[]} tokens @param {string} kinds @returns {any} */
function side(tokens, kinds) {
  return reduce({ sides: [emptySide()] }, { ...opened(), canvas: { tokens, kinds } }).sides[0];
}

test("open cells are gaps, and the prompt is what nobody opened at the front", () => {
  const run = side([1, 2, 3, -1, -1, 2, 9, 1], "ggwoowww");
  assert.deepEqual(takenText(run, 0), { text: "one two three [MASK:2] two", prompt: "one two" });
  assert.deepEqual(takenText(run, 0, [1, 2]), { text: "one [MASK:4] two", prompt: "one" });
  assert.deepEqual(takenText(run, 0, [0]), { text: "[MASK:1] two three [MASK:2] two", prompt: "" });
});

test("a text of one's own is not the prompt's, and a prompt alone is all the prompt's", () => {
  assert.equal(takenText(side([1, 2, 3], "gyy"), 0).prompt, "one");
  assert.deepEqual(takenText(side([1, 2], "gg"), 0), { text: "one two", prompt: "one two" });
  assert.deepEqual(takenText(emptySide(), 0), { text: "", prompt: "" });
});
