// A lesson as steps, and its replies: a sentence whose measure is unknown is left out, the others are filled.
import assert from "node:assert/strict";
import { test } from "node:test";

import { filled, onPaper, stepsOf, withValues } from "../../../assets/lessons/steps.js";

/** @param {string} kinds the first letters of blocks: text, predict, play (y), check, why
 */
function shape(kinds) {
  const names = { t: "text", p: "predict", y: "play", c: "check", w: "why" };
  const blocks = [...kinds].map((one) => ({ kind: names[/** @type {keyof typeof names} */ (one)] }));
  return stepsOf(/** @type {any} */ (blocks)).map(({ kind, blocks: some }) => `${kind} ${some.length}`);
}

test("blocks become steps, and a text stands with the run beside it", () => {
  assert.deepEqual(shape("tpytcw"), ["predict 2", "play 2", "check 2"]);
  assert.deepEqual(shape("tptyyctw"), ["predict 2", "play 3", "check 3"]);
  assert.deepEqual(shape("typycw"), ["play 2", "predict 1", "play 1", "check 2"]);
  assert.deepEqual(shape("tpytytycw"), ["predict 2", "play 5", "check 2"]);
});

test("a reply has its measures", () => {
  const known = { run: { looks: 5, first: 0.966, text: "  a  b\nc ", faults: null, "alike(one)": 0.9375 } };
  assert.equal(filled("It took {run.looks} looks: {run.first}.", known), "It took 5 looks: 97 %.");
  assert.equal(filled("“{run.text}” and {run.alike(one)}.", known), "“a b c” and 94 %.");
  assert.equal(filled("It broke {run.faults} rules. So it was.", known), "So it was.");
  assert.equal(filled("It took {other.looks} looks. So it was.", known), "So it was.");
  assert.equal(filled("No measure here.", {}), "No measure here.");
});

test("a long text is cut between words, and on paper nothing was played", () => {
  const [long] = [filled("“{run.text}”", { run: { text: "word ".repeat(60) } })];
  assert.ok(long.length < 150 && long.endsWith("word …”"), long);
  assert.equal(onPaper("It took {run.looks} looks, {run.alike(one)} alike."), "It took … looks, … alike.");
});

test("a number in the prose changes the run behind it, and not the lesson", () => {
  const order = { prompt: "a", seed: 1, changes: { passes: 4, options: { tau: 0.9, near: 1 } } };
  const made = withValues(order, { passes: 9, seed: 3, "options.tau": 0.5 });
  assert.deepEqual(made, { prompt: "a", seed: 3, changes: { passes: 9, options: { tau: 0.5, near: 1 } } });
  assert.deepEqual(order.changes, { passes: 4, options: { tau: 0.9, near: 1 } });
});
