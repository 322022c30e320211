// Sentences and requests: who was faster, why a cell was written, what a key or a button means.
import assert from "node:assert/strict";
import { test } from "node:test";
import { changesOf, needsNewRun, openRequest, settingsOf } from "../../assets/request.js";
import { because, beliefAt, guesses } from "../../assets/belief.js";
import { stroke } from "../../assets/strokes.js";
import { beside, actionOf } from "../../assets/keyboard.js";
import { costOf, textOf, tidy, verdict } from "../../assets/meters.js";
import { doneOf, messageOf } from "../../assets/edits.js";
import { emptySide, reduce } from "../../assets/store.js";
import { opened, packed, stepped } from "./runs.js";

/** @param {...any} events */
function side(...events) {
  return events.reduce(reduce, { sides: [emptySide()] }).sides[0];
}

/** @param {Partial<import("../../assets/meters.js").Cost>} more */
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

test("a cell says when and why it was written", () => {
  const run = side(opened(), stepped(1, [1], [2]), stepped(2, [1], [3], { was: [2] }));
  assert.equal(because(run, 1, 1), "Written at pass 1: rank 1 of 4, quota 1.");
  assert.equal(because(run, 2, 1), "Written at pass 2 in place of “two”: rank 1 of 4, quota 1.");
  assert.equal(because(run, 0, 0), "Part of the prompt.");
  assert.equal(because(run, 1, 4), "Still open.");
  assert.deepEqual(
    guesses(run, 2, 1).map((g) => [g.at, g.piece]),
    [
      [1, " two"],
      [2, " two"],
    ],
  );
});

test("candidates come from a trace, or from what the server answered", () => {
  const ti = packed(Array.from({ length: 25 }, (_, k) => (k % 5) + 1));
  const tp = packed(
    Array.from({ length: 25 }, (_, k) => 200 - 50 * (k % 5)),
    1,
  );
  const run = side(
    opened(),
    stepped(1, [1], [2], { ti, tp, e: packed([0, 64, 0, 0, 0], 1), m: packed([0, 51, 0, 0, 0], 1) }),
  );
  assert.deepEqual(
    beliefAt(run, 1, 1)
      ?.candidates.slice(0, 2)
      .map((c) => c.piece),
    [" one", " two"],
  );
  assert.equal(beliefAt(run, 1, 1)?.entropy, 2);
  const told = { candidates: [[2, " two", 0.5]], entropy: 1, margin: 0.2 };
  const live = side(opened(), stepped(1, [1], [2]), { did: "peeked", session: "s", n: 3, cell: 1, at: 1, told });
  assert.equal(beliefAt(live, 1, 1)?.candidates[0]?.share, 0.5);
  assert.equal(beliefAt(live, 1, 2), null);
});

test("keys on the page move time, keys on a cell move the cell", () => {
  assert.deepEqual(actionOf({ key: " " }, null), { do: "toggle" });
  assert.deepEqual(actionOf({ key: "ArrowLeft" }, null), { do: "back" });
  const place = { cell: 7, length: 20, rows: [0, 5, 10, 15] };
  assert.deepEqual(actionOf({ key: "ArrowDown", shiftKey: true }, place), { do: "move", to: 12, extend: true });
  assert.deepEqual(actionOf({ key: "r" }, place), { do: "type", text: "r" });
  assert.deepEqual(actionOf({ key: "Enter" }, place), { do: "inspect" });
  assert.equal(actionOf({ key: "r", ctrlKey: true }, place), null);
  assert.equal(actionOf({ key: "Tab" }, place), null);
  assert.equal(beside(4, [0, 5, 8], 10, 1), 7); // a short row ends before
  assert.equal(beside(9, [0, 5, 8], 10, 1), 9);
});

test("buttons mean edits of what stands in the selected cells", () => {
  const run = side(opened(), stepped(1, [1], [3]));
  const moment = run.moments[1];
  assert.deepEqual(messageOf("pin", moment, [1, 2], ""), { do: "pin", cells: [1, 2], tokens: [3, 2] });
  assert.deepEqual(messageOf("pin", moment, [2], "rain"), { do: "pin", at: 2, text: "rain" });
  assert.deepEqual(messageOf("ban", moment, [1], ""), { do: "ban", token: 3 });
  assert.deepEqual(messageOf("remove", moment, [2, 3], ""), { do: "stretch", at: 2, by: -2 });
  assert.equal(typeof messageOf("pin", run.moments[0], [2], ""), "string");
  assert.equal(typeof messageOf("erase", moment, [], ""), "string");
});

test("the controls become settings, and only the chosen policy's knobs count", () => {
  const values = {
    prompt: "x",
    length: 8,
    preset: "fast-dllm",
    policy: "threshold",
    passes: 8,
    "threshold.tau": 0.9,
    "margin.heat": 1,
    seed: 3,
  };
  assert.deepEqual(settingsOf(values), { policy: "threshold", passes: 8, seed: 3, options: { tau: 0.9 } });
  assert.deepEqual(changesOf(values, { ...values, "threshold.tau": 0.7 }), { options: { tau: 0.7 } });
  assert.equal(changesOf(values, { ...values, "margin.heat": 2 }), null);
  assert.ok(needsNewRun(values, { ...values, prompt: "y" }));
  const message = openRequest(values, ["denoiser", "twin"], "id");
  assert.deepEqual(
    message.lanes.map((l) => [l.model, l.settings.seed, l.settings.policy]),
    [
      ["denoiser", 3, "threshold"],
      ["twin", 3, undefined],
    ],
  );
});

test("a stroke fills what lies between, and a schedule never becomes nothing", () => {
  assert.deepEqual(stroke([0.5, 0.5, 0.5], [0, 0], [2, 1]), [0, 0.5, 1]);
  assert.deepEqual(stroke([0.5, 0.5, 0.5], [2, 1], [0, 0]), [0, 0.5, 1]);
  assert.deepEqual(stroke([0, 0.5], [1, -3], [1, -3]), [0, 0.5]);
});

test("what was drawn is sent only while the schedule is drawn", () => {
  assert.equal(settingsOf({ schedule: "linear", shares: [1] }).shares, undefined);
  assert.deepEqual(settingsOf({ schedule: "drawn", shares: [1] }).shares, [1]);
});

test("what became of an edit is a sentence", () => {
  const say = (/** @type {number[]} */ ...tokens) => tokens.map((token) => `w${token}`).join("");
  assert.equal(doneOf({ do: "pin", cells: [4, 5], tokens: [1, 2] }, say), "Pinned “w1w2” in cells 4–5.");
  assert.equal(doneOf({ do: "ban", token: 3 }, say), "“w3” is banned from now on.");
  assert.equal(doneOf({ do: "stretch", at: 4, by: -2 }, say), "Took out 2 cells at cell 4.");
  assert.equal(doneOf({ do: "tune", changes: {} }, say), "");
});
