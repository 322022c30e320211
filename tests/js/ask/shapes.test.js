// What one can ask: sentences with blanks, the nearest kinds to a question, and what an empty prompt means.
import assert from "node:assert/strict";
import { test } from "node:test";
import { about, asStory, cut, explained, filled, inTalk, nearest, partsOf, sized } from "../../../assets/ask/shapes.js";

const shape = (/** @type {string} */ name, near = "") => ({
  name,
  says: "",
  template: "Dialogue: {one} and {two}\n{one}: {line}\n",
  example: { one: "Ann", two: "Bo", line: "Hi!" },
  length: 8,
  near,
});

test("blanks are filled, and one that comes twice holds the same twice", () => {
  assert.equal(filled(shape("Dialogue")), "Dialogue: Ann and Bo\nAnn: Hi!\n");
  assert.equal(filled(shape("Dialogue"), { one: "Cy", two: "Bo", line: "No." }), "Dialogue: Cy and Bo\nCy: No.\n");
  assert.deepEqual(partsOf("Sort: {numbers}\n"), [{ text: "Sort: " }, { blank: "numbers" }, { text: "\n" }]);
});

test("the nearest kinds come first, in their own order where nothing fits", () => {
  const shapes = [shape("Story", "story"), shape("Recipe", "cook"), shape("Sum", "\\d"), shape("Sort")];
  const names = (/** @type {string} */ prompt) => nearest(shapes, prompt).map(({ name }) => name);
  assert.deepEqual(names("How do I cook 3 eggs?"), ["Recipe", "Sum", "Story"]);
  assert.deepEqual(names("What is love?"), ["Story", "Recipe", "Sum"]);
});

test("an empty prompt and blanks are explained", () => {
  assert.match(explained("  "), /No prompt/);
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

test("somebody's own words become their turn in a talk, where the model knows talks", () => {
  const talk = { ...shape("Talk", "."), template: "User: {question}\nAssistant:" };
  assert.equal(inTalk([shape("Sum"), talk], " What is\n$& life? ")?.prompt, "User: What is $& life?\nAssistant:");
  assert.equal(inTalk([shape("Sum")], "Hello"), null);
  assert.equal(inTalk([talk], "  "), null);
});

test("a sentence that tells something can begin a story, and a question, an order or a sum cannot", () => {
  const story = { ...shape("Story"), template: "Story: {beginning}" };
  const recipe = { ...shape("Recipe"), template: "Recipe: {dish}" };
  const begun = (/** @type {string} */ prompt) => asStory([shape("Sum"), recipe, story], prompt)?.prompt ?? null;
  assert.equal(begun(" A fox and a rabbit\nshare a boat. "), "Story: A fox and a rabbit share a boat.");
  assert.equal(begun("Lena wanted to build a kite"), "Story: Lena wanted to build a kite");
  assert.equal(begun("a fox and a rabbit share a boat"), "Story: a fox and a rabbit share a boat");
  assert.equal(begun("“Wait for me!” said Étienne."), "Story: “Wait for me!” said Étienne.");
  // the title of a kind that the model does not know is left out
  assert.equal(begun("Tale: There was once a king who never slept."), "Story: There was once a king who never slept.");
  assert.equal(begun(" Fable:\na crow and a jug"), "Story: a crow and a jug");
  assert.equal(begun("Question: what is this thing"), null);
  assert.equal(asStory([story], "Fable: a crow and a jug")?.title, "Fable:");
  assert.equal(asStory([story], "a crow and a jug")?.title, "");
  for (const other of [
    "",
    "Hello",
    "What is the capital of France?",
    "How do I bake bread",
    "Write a poem about the sea.",
    "Tell me a joke.",
    "Sum: 3 + 4",
    "Let x = 3 and y = 4",
    "def add(a, b):",
    "7 7 7 7 1",
    "SELECT * FROM users",
    "Recipe: soup for two",
  ])
    assert.equal(begun(other), null, other);
  assert.equal(asStory([shape("Sum")], "Lena wanted to build a kite."), null);
});

test("a long text is cut between signs, and never inside one", () => {
  assert.equal(cut("short", 10), "short");
  assert.equal(cut("one two three four", 10), "one two …");
  assert.equal(cut("👨‍👩‍👧".repeat(9), 5), `${"👨‍👩‍👧".repeat(3)} …`);
});
