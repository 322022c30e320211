import assert from "node:assert/strict";
import { test } from "node:test";

import { adviceSentence } from "../../../../dllm/features/lab/advice.js";
import { apart, ends, ranked, signed, signedEnds, worth } from "../../../../dllm/features/lab/estimates.js";

/** @type {import("../../../../dllm/features/lab/chart.js").Point} */
const POINT = {
  ...{ decoder: "LLaDA", runs: 24, prompts: 24, texts: 24, greedy: true, tokens: 60, tokens_per_pass: 4, seconds: 1 },
  ...{ passes: 16, values: { right: [0.875, 0.69, 0.957], surprise: [1.5, null, null] }, behind: {}, best: [] },
};

test("a value and its interval are said in percent, or in nats", () => {
  assert.equal(`${worth(0.875, "right")} ${ends([0.875, 0.69, 0.957], "right")}`, "88 % 69–96");
  assert.equal(`${worth(1.5, "surprise")} ${ends([1.5, 1.25, 1.75], "surprise")}`, "1.50 nats 1.25–1.75");
  assert.equal(ends([1.5, null, null], "surprise"), "");
});

test("a difference has signs, and zero has none", () => {
  /** @type {(row: [number, number | null, number | null], measure: string) => string} */
  const says = (row, measure) => `${signed(row[0], measure)} ${signedEnds(row, measure)}`;
  assert.equal(says([-0.06, -0.18, 0.05], "right"), "−6 −18 … +5");
  assert.equal(says([-0.001, -0.101, 0.1], "right"), "0 −10 … +10");
  assert.equal(says([0.25, 0.001, 0.5], "surprise"), "+0.25 0.00 … +0.50");
  assert.equal(says([0.25, null, null], "surprise"), "+0.25 ");
  assert.deepEqual(
    [apart([-0.06, -0.18, 0.05]), apart([-0.2, -0.3, -0.1]), apart([1, null, null]), apart(undefined)],
    [false, true, false, false],
  );
});

test("the best stands first; greedy ones last where they cannot be compared", () => {
  const drawn = {
    ...POINT,
    decoder: "drawn",
    greedy: false,
    values: { right: /** @type {[number, number, number]} */ ([0.4, 0.3, 0.5]) },
  };
  const names = (/** @type {boolean} */ counted) =>
    ranked([drawn, POINT], "right", counted).map(({ decoder }) => decoder);
  assert.deepEqual(
    [names(false), names(true)],
    [
      ["LLaDA", "drawn"],
      ["drawn", "LLaDA"],
    ],
  );
  assert.deepEqual(ranked([drawn, POINT], "surprise", false), [POINT]);
});

test("advice names a lead only where there is one", () => {
  const says = (/** @type {Partial<import("../../../../dllm/features/lab/advice.js").Advice>} */ more) =>
    adviceSentence({ point: POINT, among: 3, ahead: false, equal: [], ...more }, "right");
  assert.equal(says({ ahead: true }), "LLaDA is ahead of all others: 88 % (69–96), with 16.0 looks a text.");
  assert.equal(
    says({ equal: ["a", "b"] }),
    "No difference seen between 3 decoders. Of these, LLaDA has the best value: 88 % (69–96), with 16.0 looks a text.",
  );
  assert.equal(says({ among: 1 }), "Only LLaDA needs so few looks: 88 % (69–96), with 16.0 looks a text.");
});
