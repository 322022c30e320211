// What one can ask: sentences with blanks, and what an empty prompt means.
import assert from "node:assert/strict";
import { test } from "node:test";
import { about, cut, explained, filled, partsOf, sized } from "../../../assets/ask/shapes.js";

const shape = (/** @type {string} */ name) => ({
  name,
  says: "",
  template: "Dialogue: {one} and {two}\n{one}: {line}\n",
  example: { one: "Ann", two: "Bo", line: "Hi!" },
  length: 8,
});

test("blanks are filled, and one that comes twice holds the same twice", () => {
  assert.equal(filled(shape("Dialogue")), "Dialogue: Ann and Bo\nAnn: Hi!\n");
  assert.equal(filled(shape("Dialogue"), { one: "Cy", two: "Bo", line: "No." }), "Dialogue: Cy and Bo\nCy: No.\n");
  assert.deepEqual(partsOf("Sort: {numbers}\n"), [{ text: "Sort: " }, { blank: "numbers" }, { text: "\n" }]);
});

test("an empty prompt and blanks are explained", () => {
  assert.match(explained("  "), /No prompt yet: with none, the model writes something at random/);
  assert.equal(explained("Story: Tom"), "");
  assert.match(explained("Tom had ___ apples."), /Only the blank will be written: 3 tokens/);
  assert.match(explained("A [MASK:6] b ____"), /the 2 blanks .* 10 tokens/);
  assert.match(explained("Tom had ___ apples."), /The twin reads only what stands before the first blank\.$/);
  assert.match(explained(" ___"), /Nothing stands before the first blank, so the twin begins a text of its own\.$/);
});

test("a model is described by its card, in one breath", () => {
  assert.equal(sized(7_234_560), "7.2 million parameters");
  assert.equal(sized(8e9), "8 billion parameters");
  assert.equal(
    about({ parameters: 7e6, knows: "small stories" }),
    "A model of 7 million parameters, trained for this page on small stories. It knows nothing else.",
  );
  assert.match(about({ name: "Dream", parameters: 7.6e9 }), /^Dream, 7.6 billion parameters/);
  assert.match(about({ name: "toy", trained: false }), /was not trained/);
});

test("a long text is cut between signs, and never inside one", () => {
  assert.equal(cut("short", 10), "short");
  assert.equal(cut("one two three four", 10), "one two …");
  assert.equal(cut("👨‍👩‍👧".repeat(9), 5), `${"👨‍👩‍👧".repeat(3)} …`);
});
