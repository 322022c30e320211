// What is said of a prompt that the model does not know: only what comes out right is offered, and "it cannot" is an answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { labelOf, reason } from "../../../assets/ask/offers.js";

test("a prompt without anything near to it is answered with what the model knows, and with no false hope", () => {
  assert.match(
    reason("Translate this into French", "", false),
    /^“Translate this into French” .* It cannot write that: it knows/,
  );
  assert.match(reason("2 + 3", "", true), /Nearest to it, it can write:$/);
  assert.match(reason("2 + 3", "", true, true), /was trained on\.$/); // another model may answer it
  assert.match(
    reason("Tale: a king", "Tale", true),
    /^This small model does not write texts of the kind “Tale:” well\. Near/,
  );
});

test("an offer says what will be run, and a turn of a talk is said in its own words", () => {
  assert.equal(labelOf({ prompt: "Letter: Lily writes to Mum\nDear Mum,\n", length: 8 }), "Letter: Lily writes to Mum");
  assert.equal(labelOf({ prompt: "User: What is 7 plus 6?\nAssistant:", length: 8 }), "In a talk: “What is 7 plus 6?”");
  const story = "Story: Behind the hedge, at the park, Lily saw an owl with its little ones.";
  assert.equal(labelOf({ prompt: story, length: 144 }), story);
});
