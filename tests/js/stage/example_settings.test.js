// What an example sets ends with its own prompt.

import assert from "node:assert/strict";
import { test } from "node:test";
import { settingsBefore } from "../../../assets/stage/example_settings.js";

const before = { prompt: "Story:", length: 112, passes: 64, policy: "revoke" };
const now = { prompt: "Steps: fly a kite", length: 96, passes: 2, policy: "confidence" };

test("a prompt of one's own gets back what stood before the example", () => {
  const own = { ...now, prompt: "Tell me a story" };
  assert.deepEqual(settingsBefore({ before, now }, own), { ...before, prompt: "Tell me a story" });
});

test("the example's own prompt keeps what the example says", () => {
  assert.equal(settingsBefore({ before, now }, { ...now }), null);
});

test("what a person has chosen since the example stays", () => {
  assert.equal(settingsBefore({ before, now }, { ...now, prompt: "Tell me a story", passes: 30 }), null);
  assert.equal(settingsBefore({ before, now }, { ...now, passes: 30 }), null);
});
