// What is said of a rule before a run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ruleDoubt } from "../../../assets/ask/rule_doubt.js";

test("each kind of doubt has a sentence of its own, which names the word or field", () => {
  const said = ["json", "field", "word", "begin"].map((kind) => ruleDoubt(kind, "elephant"));
  assert.equal(new Set(said).size, 4);
  assert.ok(said.every((sentence) => sentence.startsWith("The model ")));
  assert.deepEqual(
    said.map((sentence) => sentence.includes("“elephant”")),
    [false, true, true, false],
  );
});

test("where nothing speaks against a rule, nothing is said", () => {
  assert.equal(ruleDoubt("", ""), "");
});
