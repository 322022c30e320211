import assert from "node:assert/strict";
import { test } from "node:test";

import { message, percent, sureness } from "../../../../dllm/features/decisions/question.js";

test("typed questions become questions of the server, each under its number", () => {
  const typed = [
    { asks: " Who has it? ", options: "Mia, Tom" },
    { asks: "Is Tom happy?", options: "yes, no" },
    { asks: "", options: "yes,no" },
  ];
  assert.deepEqual(message(typed), {
    1: { type: "choice", instructions: "Who has it?", criteria: { Mia: null, Tom: null } },
    2: { type: "noul", instructions: "Is Tom happy?" },
    3: { type: "choice", criteria: { yes: null, no: null } },
  });
});

test("an option that is typed twice is left for the server to refuse", () => {
  const found = message([{ asks: "Who?", options: "Mia, Mia" }]);
  assert.ok("" in /** @type {any} */ (found[1]).criteria);
});

test("sure, leaning and torn follow the certainty", () => {
  assert.deepEqual([0.9, 0.5, 0.3, 0.05].map(sureness), ["sure", "sure", "leaning", "torn"]);
});

test("a share is never shown as 0 or 100 percent unless it is", () => {
  assert.deepEqual([0, 0.004, 0.5, 0.995, 0.99999, 1].map(percent), [
    "0 %",
    "< 1 %",
    "50 %",
    "99.5 %",
    "99.9 %",
    "100 %",
  ]);
});
