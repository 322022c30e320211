// What a run cost, and the sentence about who was faster: true whichever way it went.
import assert from "node:assert/strict";
import { test } from "node:test";
import { duration, costOf, freshText, readings, textOf, tidy } from "../../../assets/views/meters.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened, stepped } from "../runs.js";

/** @param {...any} events */
function side(...events) {
  return events.reduce(reduce, { sides: [emptySide()] }).sides[0];
}

/** @param {Partial<import("../../../assets/views/meters.js").Cost>} more */
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
    failed: false,
    ...more,
  };
}

test("guidance counts twice, and tokens are the model's own", () => {
  const run = side(opened(), stepped(1, [1, 2], [2, 9], { cost: 2 }), stepped(2, [3], [2], { cost: 2 }));
  const cost = costOf(run, 2);
  assert.deepEqual([cost.passes, cost.tokens, cost.first], [4, 1, 4]); // the end and what follows it are no text
  assert.equal(textOf(run, 2), "two");
  assert.deepEqual([tidy(0.1234), tidy(12.34), tidy(1234.5), tidy(NaN)], ["0.12", "12.3", "1\u2009235", "–"]);
});

test("a time that would round to a thousand milliseconds is a second", () => {
  assert.deepEqual([4.723, 97.31, 999.4, 999.6, 1400].map(duration), ["4.7 ms", "97 ms", "999 ms", "1.00 s", "1.40 s"]);
});

test("what a pass writes behind the end of the text is no token of it", () => {
  const run = side(opened(4), stepped(1, [1, 2, 3, 4], [1, 9, 9, 9]));
  const [, pass] = run.moments;
  assert.equal(pass?.fresh.length, 4);
  assert.equal(freshText(run, /** @type {any} */ (pass)), 1); // nor is the end itself
});

test("a cell too many is no token", () => {
  const run = side(opened(4, { model: { name: "toy", skips: [5] } }), stepped(1, [1, 2, 3, 4], [1, 5, 5, 2]));
  assert.equal(freshText(run, /** @type {any} */ (run.moments[1])), 2);
  assert.deepEqual([costOf(run, 1).tokens, textOf(run, 1)], [2, "one two"]);
});

test("a text whose facts agree is not called sound where its sentences are broken", () => {
  const facts = (/** @type {any} */ more) => {
    const quality = { facts: 8, hold: 8, strict: !more.faults, faults: 0, reasons: [], ...more };
    return readings(cost({}), quality).find(({ name }) => name === "facts");
  };
  const unknown = (/** @type {null | undefined} */ quality) => readings(cost({ done: true }), quality).at(-1)?.value;
  assert.deepEqual([unknown(null), unknown(undefined)], ["–", "…"]); // never judged; being judged
  assert.equal(facts({})?.value, "8 of 8");
  assert.doesNotMatch(facts({})?.title ?? "", /Besides/);
  const broken = facts({ faults: 5, reasons: ["it breaks off"] });
  assert.equal(broken?.value, "8 of 8 !");
  assert.match(broken?.title ?? "", /Besides, the judge of these worlds found: it breaks off …$/);
});
