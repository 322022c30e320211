// The tour goes on when the thing has happened, and not before.
import assert from "node:assert/strict";
import { test } from "node:test";
import { STEPS, begun } from "../../../assets/tour/steps.js";

const VIEW = {
  at: 3,
  fresh: [],
  picked: -1,
  open: false,
  passes: 112,
  live: false,
  finished: false,
  pins: 0,
  inside: false,
  facts: "",
};

test("each step waits for its own thing", () => {
  /** @type {[string, Partial<typeof VIEW>, Partial<typeof VIEW>][]} not yet, and now */
  const walk = [
    ["predict", { picked: 5, open: false }, { picked: 5, open: true }],
    ["reveal", { at: 3 }, { at: 4 }],
    ["bold", { live: true, passes: 2 }, { live: true, passes: 2, finished: true }],
    ["careful", { live: true, passes: 2, finished: true }, { live: true, passes: 16, finished: true }],
    ["pin", { picked: 4 }, { pins: 1 }],
    ["inside", { picked: 4 }, { inside: true }],
  ];
  assert.deepEqual(
    STEPS.map(({ name }) => name),
    walk.map(([name]) => name),
  );
  walk.forEach(([, before, now], i) => {
    const memory = begun(VIEW, "");
    assert.equal(STEPS[i]?.done({ ...VIEW, ...before }, memory), null);
    assert.equal(typeof STEPS[i]?.done({ ...VIEW, ...now }, memory), "string");
  });
});

test("a run that is over is spoken of once its facts are counted", () => {
  const over = { ...VIEW, live: true, passes: 2, finished: true };
  const done = /** @type {typeof STEPS[number]} */ (STEPS[2]).done;
  assert.equal(done({ ...over, facts: null }, begun(VIEW, "")), null);
  assert.equal(done({ ...over, facts: "9 of 14 facts agree." }, begun(VIEW, "")), "9 of 14 facts agree.");
});

test("a prediction is answered truly", () => {
  const memory = { ...begun(VIEW, ""), picked: 7 };
  const done = /** @type {typeof STEPS[number]} */ (STEPS[1]).done;
  assert.match(done({ ...VIEW, at: 4, fresh: [6, 7] }, memory) ?? "", /2 words.*yours was among them/);
  assert.match(done({ ...VIEW, at: 4, fresh: [6] }, memory) ?? "", /1 word,.*yours was not/);
});

test("what came of a step is said in the next", () => {
  const text = STEPS[3]?.text(begun(VIEW, "9 of 14 facts agree.")) ?? "";
  assert.match(text, /^9 of 14 facts agree\. Words of one pass/);
});
