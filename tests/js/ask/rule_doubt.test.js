// What is shown of a rule before a run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ruleDoubt } from "../../../assets/ask/rule_doubt.js";

test("each kind of doubt has a sentence of its own, which names the word or field", () => {
  const sentences = ["json", "field", "word", "begin"].map((kind) => ruleDoubt(kind, "elephant"));
  assert.equal(new Set(sentences).size, 4);
  assert.ok(sentences.every((sentence) => sentence.startsWith("The model ")));
  assert.deepEqual(
    sentences.map((sentence) => sentence.includes("“elephant”")),
    [false, true, true, false],
  );
});

test("where nothing speaks against a rule, nothing is shown", () => {
  assert.equal(ruleDoubt("", ""), "");
});
