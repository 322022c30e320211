// What a speed and a price mean for a piece of work, and which claim a race has checked.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  agentLoop,
  answerTime,
  figure,
  monthlyCost,
  seconds,
  voiceDelay,
} from "../../../../dllm/features/race/estimate.js";

const PACE = { first: 0.5, rate: 100, verbosity: 2 };

test("an answer takes its wait and its words, the verbose one more of them", () => {
  assert.equal(answerTime(PACE, 100), 2.5);
  assert.equal(agentLoop(PACE, { calls: 10, tokens: 100 }), 25);
  assert.equal(voiceDelay(PACE, { hearing: 0.3, sentence: 25, speaking: 0.2 }), 1.5);
});

test("a month's bill counts prompts, answers and verbosity, and is unknown without a price", () => {
  assert.equal(monthlyCost({ input: 1, output: 2 }, 3, { requests: 1000, given: 1000, tokens: 500 }), 120);
  assert.ok(Number.isNaN(monthlyCost({ input: NaN, output: 2 }, 1, { requests: 1, given: 1, tokens: 1 })));
});

test("what is unknown is never a number", () => {
  assert.equal(figure(null), "unknown");
  assert.equal(seconds(undefined), "unknown");
  assert.equal(figure(NaN), "unknown");
  assert.equal(figure(0), "0");
  assert.equal(figure(1234.5, "tokens"), "1,235 tokens");
  assert.equal(seconds(0.0123), "12.3 ms");
  assert.equal(seconds(2.5), "2.5 s");
});
