// What a run cost, and the sentence about who was faster: true whichever way it went.
import assert from "node:assert/strict";
import { test } from "node:test";
import { costOf, textOf, tidy, verdict } from "../../../assets/stage/meters.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened, stepped } from "../runs.js";

/** @param {...any} events */
function side(...events) {
  return events.reduce(reduce, { sides: [emptySide()] }).sides[0];
}

/** @param {Partial<import("../../../assets/stage/meters.js").Cost>} more */
function cost(more) {
  const { passes = 10, clock = 100 } = more;
  const tokens = more.tokens ?? 60;
  return {
    passes,
    tokens,
    perPass: tokens / passes,
    clock,
    thinking: 9,
    other: 1,
    rate: 600,
    afterFirst: 500,
    first: 10,
    done: true,
    shared: false,
    ...more,
  };
}

test("the sentence is right whichever side was faster", () => {
  const [quick, slow] = [cost({ passes: 10, clock: 100 }), cost({ passes: 60, clock: 240, first: 4 })];
  const one = verdict({ name: "Diffusion", cost: quick }, { name: "Autoregressive", cost: slow });
  assert.match(one, /^Diffusion finished 2\.4 × sooner: 10 passes of 10\.0 ms against 60 passes of 4\.00 ms\./);
  assert.match(one, /dearer, but it needs 6\.0 × fewer/);
  assert.match(one, /Autoregressive showed its first word sooner/);
  const other = verdict(
    { name: "Diffusion", cost: cost({ passes: 50, clock: 500 }) },
    { name: "Autoregressive", cost: slow },
  );
  assert.match(other, /^Autoregressive finished 2\.1 × sooner/);
  assert.match(other, /needs more passes, but each is 2\.5 × cheaper/);
});

test("a draw is called a draw, and an unfinished race is not called at all", () => {
  assert.match(verdict({ name: "A", cost: cost({}) }, { name: "B", cost: cost({ clock: 101 }) }), /about the same/);
  const open = cost({ done: false, tokens: 1 });
  assert.match(
    verdict({ name: "A", cost: open }, { name: "B", cost: cost({}) }),
    /^B has finished .* A has written 1 token /,
  );
  assert.match(verdict({ name: "A", cost: open }, { name: "B", cost: open }), /^So far/);
  assert.match(
    verdict({ name: "A", cost: cost({ shared: true }) }, { name: "B", cost: cost({}) }),
    /Others had the device/,
  );
});

test("guidance counts twice, and tokens are the model's own", () => {
  const run = side(opened(), stepped(1, [1, 2], [2, 9], { cost: 2 }), stepped(2, [3], [2], { cost: 2 }));
  const cost = costOf(run, 2);
  assert.deepEqual([cost.passes, cost.tokens, cost.first], [4, 2, 4]); // what follows the end is no text
  assert.equal(textOf(run, 2), "two");
  assert.deepEqual([tidy(0.1234), tidy(12.34), tidy(1234.5), tidy(NaN)], ["0.12", "12.3", "1\u2009235", "–"]);
});
