// A text of one's own: what is opened is whole words, and what stays is untouched.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixedLength, opened, ownFrom, partsOf, roomOf, summary, tokensIn } from "../../../assets/ask/gaps.js";

const TEXT = "Lily had a red kite. She was happy.";

test("a selection opens whole words, as many cells as they take", () => {
  const from = TEXT.indexOf("ed kite");
  assert.deepEqual(opened(TEXT, from, from + 5), { text: "Lily had a [MASK:3] She was happy.", caret: 19 });
  assert.equal(opened(TEXT, 5, 8).text, "Lily [MASK:1] a red kite. She was happy.");
  const twice = opened(opened(TEXT, 5, 8).text, 5, 15).text;
  assert.equal(twice, "Lily [MASK:2] red kite. She was happy."); // an open gap in the selection keeps its cells
});

test("with nothing selected there is a gap at the cursor, set apart from its neighbours", () => {
  assert.equal(opened("He said", 7, 7).text, "He said [MASK:6]");
  assert.equal(opened("ab", 1, 1).text, "a [MASK:6] b");
});

test("parts, tokens and room are counted", () => {
  assert.deepEqual(partsOf("a ___ b [MASK] [MASK:4]"), [
    { text: "a ", cells: 0 },
    { text: "___", cells: 3 },
    { text: " b ", cells: 0 },
    { text: "[MASK]", cells: 1 },
    { text: " ", cells: 0 },
    { text: "[MASK:4]", cells: 4 },
  ]);
  assert.equal(tokensIn("Hello, extraordinarily 12!"), 7);
  assert.equal(roomOf("a ___ b"), 27);
});

test("it is said what will be written", () => {
  assert.match(summary(" "), /^Type or paste/);
  assert.match(summary("a b"), /^Select words/);
  assert.equal(summary("a ___ b ___"), "The model writes 2 gaps of 6 cells. Every other word stays yours.");
});

test("why gaps keep their length is named", () => {
  assert.equal(fixedLength({ constraint: "" }, { causal: false }), "");
  assert.match(fixedLength({ constraint: "regex" }, {}), /a rule for the text/);
  assert.match(fixedLength({}, { causal: true }), /left to right/);
  assert.match(fixedLength({}, { blockwise: true }), /block by block/);
  assert.match(fixedLength({}, { noise: true }), /noise/);
});

test("what stood on the stage as the prompt stays the prompt's while the text begins with it", () => {
  assert.equal(ownFrom("Story: Lily ran.", "Story:"), 6);
  assert.equal(ownFrom("Once Lily ran.", "Story:"), 0);
  assert.equal(ownFrom("Story: [MASK:3] ran.", "Story:"), 7);
  assert.match(summary("Story: ___", 6), /The prompt stays, and every other word is yours\.$/);
});
