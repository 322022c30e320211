// Which dots a picture of claims has, and what a race adds to it.
import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.HTMLElement ??= /** @type {any} */ (class {});
globalThis.customElements ??= /** @type {any} */ ({ define() {} });
const { dots, figures, kindOf, rounds } = await import("../../../../dllm/features/race/picture.js");

const SPEED = {
  what: "output speed",
  unit: "tokens/s",
  check: "tokens_per_second_after_first",
  condition: "",
  date: "2026-02-24",
};
const CLAIMS = [
  { ...SPEED, about: "Mercury 2", value: 1009, by: "Inception, the maker" },
  { ...SPEED, about: "Mercury 2", value: 520, by: "a blog" },
  { ...SPEED, about: "Claude 4.5 Haiku", value: [89, 200], by: "Artificial Analysis" },
  { about: "Mercury 2", what: "rank", unit: "of 132 models", value: 1, by: "a blog" },
];
const colour = (/** @type {string} */ name) => name;

test("one picture for each unit that several claims speak of", () => {
  assert.deepEqual(
    figures(CLAIMS).map(({ unit, rows }) => [unit, rows.length]),
    [["tokens/s", 3]],
  );
});

test("a dot a claim, both ends of a range, by who measured", () => {
  const traces = dots(CLAIMS.slice(0, 3), [], colour);
  assert.deepEqual(
    traces.map((t) => [t.name, t.x]),
    [
      ["its maker", [1009]],
      ["a measuring site", [89, 200]],
      ["an article or a customer", [520]],
    ],
  );
  assert.equal(kindOf({ by: "Vercel AI Gateway" }), 2);
});

test("your race stands beside the claims about the same model, and what was not measurable does not", () => {
  const race = [
    { title: "Claude Haiku 4.5 by openrouter", tokens_per_second_after_first: 120 },
    { title: "Mercury 2", tokens_per_second_after_first: null },
  ];
  const own = dots(CLAIMS.slice(0, 3), race, colour).at(-1);
  assert.deepEqual([own?.name, own?.x, own?.y], ["your race", [120], ["Claude 4.5 Haiku: output speed"]]);
});

test("rounds are drawn with their spread where there were several", () => {
  const table = [
    { title: "a", rounds: { end: [1, 2, null, 3] } },
    { title: "b", rounds: { end: [1] } },
  ];
  assert.deepEqual(
    rounds(table, "end", colour).map((t) => [t.name, t.x]),
    [["a", [1, 2, 3]]],
  );
});
