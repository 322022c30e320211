import assert from "node:assert/strict";
import { test } from "node:test";

import { comparable, family, span, traces, upto } from "../../../../dllm/features/lab/chart.js";

/** @type {import("../../../../dllm/features/lab/chart.js").Point[]} */
const POINTS = [
  point("LLaDA, 4 passes", 4, [0.2, 0.1, 0.3], []),
  point("LLaDA, 64 passes", 64, [0.8, 0.7, 0.9], ["right"]),
  point("Fast-dLLM, tau 0.9", 20, [0.8, 0.75, 0.85], ["right"]),
  point("Dream, 4 passes", 4, null, []),
];

/**
 * @param {string} decoder
 * @param {number} passes
 * @param {[number, number, number] | null} right
 * @param {string[]} best
 */
function point(decoder, passes, right, best) {
  return {
    decoder,
    ...{ runs: 1, prompts: 1, texts: 1, greedy: false, behind: {} },
    tokens: 60,
    passes,
    tokens_per_pass: 60 / passes,
    seconds: passes / 100,
    values: { right },
    best,
  };
}

test("a trace for each decoder that was measured, with its interval, and the front in order", () => {
  const [front, llada, fast, ...more] = traces(POINTS, "right", "passes", ["red", "blue"]);
  assert.deepEqual(front?.x, [20, 64]);
  assert.deepEqual([llada?.name, fast?.name, more.length], ["LLaDA", "Fast-dLLM", 0]);
  assert.ok(llada && "error_y" in llada);
  assert.deepEqual(
    llada.error_y.array.map((v) => Math.round(v * 10)),
    [1, 1],
  );
  assert.equal(family("WINO"), "WINO");
});

test("seconds are said as a person says them", () => {
  assert.deepEqual([span(0.2), span(61), span(150), span(null)], ["1 s", "61 s", "3 min", ""]);
});

test("lanes are aligned by the share that is written", () => {
  /** @type {[number, string | null][][]} */
  const passes = [
    [
      [1, "a"],
      [2, "b"],
    ],
    [
      [0, "c"],
      [3, "d"],
    ],
  ];
  const lane = { first: [null, null, null, null], shares: [0, 0.5, 1], passes };
  assert.deepEqual(upto(lane, 0.4), { pass: 0, cells: [null, null, null, null], fresh: new Set() });
  assert.deepEqual(upto(lane, 0.5), { pass: 1, cells: [null, "a", "b", null], fresh: new Set([1, 2]) });
  assert.deepEqual(upto(lane, 1).cells, ["c", "a", "b", "d"]);
});

test("in a world that can be counted, a greedy decoder is not on the scale of those that draw", () => {
  const greedy = { ...point("LLaDA, 1 passes", 1, [1, 0.2, 1], []), greedy: true };
  assert.deepEqual(comparable([...POINTS, greedy], true), POINTS);
  const [, llada] = traces(comparable([greedy, ...POINTS], false), "right", "passes", ["red"]);
  assert.deepEqual(llada && "marker" in llada && llada.marker.symbol, ["circle-open", "circle", "circle"]);
});
