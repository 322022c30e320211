// A rule is made from what a person chose and typed; half a rule is none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { changesOf, openRequest, settingsOf } from "../../../assets/wire/request.js";
import { constraintOf } from "../../../assets/wire/rule.js";

test("each kind takes what was typed in its own form", () => {
  assert.deepEqual(constraintOf("contains", "a kite"), { kind: "contains", text: "a kite" });
  assert.deepEqual(constraintOf("choice", "yes\n\nno"), { kind: "choice", options: ["yes", "no"] });
  assert.deepEqual(constraintOf("regex", " [0-9]+ "), { kind: "regex", pattern: "[0-9]+" });
  assert.deepEqual(constraintOf("schema", '{"type": "object"}'), { kind: "schema", schema: { type: "object" } });
  assert.deepEqual(constraintOf("schema", "{"), { kind: "schema", schema: "{" }); // the engine says what is wrong
  assert.deepEqual(constraintOf("json_object", ""), { kind: "json_object" });
  assert.deepEqual([constraintOf("", "a kite"), constraintOf("contains", " ")], [{}, {}]);
});

test("both sides keep to the rule, and a rule that is taken away is gone", () => {
  const values = { prompt: "x", length: 8, preset: "llada", constraint: "contains", rule: "kite", seed: 1 };
  const kite = { kind: "contains", text: "kite" };
  assert.deepEqual(settingsOf(values), { constraint: kite, seed: 1 });
  const sides = openRequest(values, settingsOf(values), ["denoiser", "twin"], "id").sides;
  assert.deepEqual(
    sides.map((side) => side.settings.constraint),
    [kite, kite],
  );
  assert.deepEqual(changesOf(values, { ...values, constraint: "" }), { constraint: {} });
});
