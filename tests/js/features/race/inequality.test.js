// What a claimed speed asks of a model: the inequality of docs/clock.md.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inequality, mostLooks } from "../../../../dllm/features/race/inequality.js";

const MERCURY = { rate: 1000, tokens: 256, canvas: 256, billions: 8, chip: "b200" };

test("the looks that are allowed are those of the table in docs/clock.md", () => {
  const found = [1, 8, 30].map((billions) => mostLooks({ ...MERCURY, billions }).map(Math.round));
  assert.deepEqual(found, [
    [307, 922],
    [38, 115],
    [10, 31],
  ]);
});

test("it is said as a sentence, and what cannot be is said too", () => {
  assert.match(inequality(MERCURY), /may look at most 38 to 115 times: it must write 2\.2 to 6\.7 tokens a look/);
  assert.match(inequality({ ...MERCURY, billions: 400, chip: "l4" }), /cannot be fast enough/);
  assert.match(
    inequality({ ...MERCURY, billions: 400 }),
    /may look at most 2 times, and only if the chip is used well/,
  );
  assert.equal(inequality({ ...MERCURY, rate: 0 }), "Give every number.");
});
