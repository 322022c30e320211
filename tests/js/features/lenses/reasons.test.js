// Why a word stands there: what it leans on, when it was known, what a rule leaves, and which edit caused it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chanceOf, leftTo, ruleAt } from "../../../../dllm/features/lenses/allowed.js";
import { causeOf } from "../../../../dllm/features/lenses/cause.js";
import { depthRows, depthSentence } from "../../../../dllm/features/lenses/depth.js";
import { leaningSentence, leaningThreads, supports } from "../../../../dllm/features/lenses/leaning.js";
import { Lenses } from "../../../../dllm/features/lenses/lenses.js";
import { arc, strongest } from "../../../../dllm/features/lenses/threads.js";
import { emptySide, reduce } from "../../../../assets/wire/store.js";
import { opened, stepped } from "../../runs.js";

/** @param {...Record<string, any>} events */
function side(...events) {
  let stage = { sides: [emptySide()] };
  for (const event of events) stage = reduce(stage, /** @type {any} */ (event));
  return /** @type {import("../../../../assets/wire/store.js").Side} */ (stage.sides[0]);
}

test("the words that matter come first, those that give nothing not at all", () => {
  const run = side(opened(), stepped(1, [1, 2, 3], [2, 3, 1]));
  const rows = supports(run, 1, { share: 0.98, others: [0, 2, 3], nats: [Math.log(98 / 12), 0.01, -0.5] });
  assert.deepEqual(rows.map(({ cell, word }) => [cell, word]), [[0, "“one”"], [3, "“one”"]]); // prettier-ignore
  assert.ok(Math.abs((rows[0]?.without ?? 0) - 0.12) < 1e-9);
  const sentence = leaningSentence("“two”", 0.98, rows);
  assert.equal(sentence, "With every other word as it is, the model gives “two” 98 %. Without “one” in cell 0 it would fall to 12 %."); // prettier-ignore
  assert.deepEqual(leaningThreads(1, rows).map(({ from, to, kind }) => [from, to, kind]), [[0, 1, "for"], [3, 1, "against"]]); // prettier-ignore
  assert.match(leaningSentence("“two”", 1, []), /No single word changes that/);
});

test("the pass and the layers that knew a word are said", () => {
  const depth = { at: [0, 1, 2], share: [[0, 0.1, 0.4], [0, 0.2, 0.6], [0.1, 0.9, 0.95]], best: [["a", "b", "c"], ["a", "b", "d"], ["d", "d", "d"]] }; // prettier-ignore
  const passOf = (/** @type {number} */ moment) => moment;
  assert.equal(depthSentence(depth, "“red”", passOf), "After look 1 the model first gave “red” more than half. Then only the last layer of 2 knew it."); // prettier-ignore
  assert.equal(depthSentence({ ...depth, share: [[0, 0, 0]] }, "“red”", passOf), "No look gave “red” more than half.");
  const rows = depthRows(depth);
  assert.deepEqual(rows.map(({ name }) => name), ["layer 2", "layer 1", "words alone"]); // prettier-ignore
  assert.deepEqual(rows[0]?.cells.map(({ share }) => share), [0.4, 0.6, 0.95]); // prettier-ignore
});

test("a rule is found where it was given or changed, and says what it leaves", () => {
  const rule = { kind: "contains", text: "kite" };
  const run = side(opened(4, { settings: { constraint: {} } }), stepped(1, [1], [2]));
  assert.equal(ruleAt(run, 1), null);
  const canvas = { tokens: [1, 2, -1, -1, -1], kinds: "gwooo" };
  const tuned = side(opened(4, { settings: { constraint: {} } }), stepped(1, [1], [2]), {
    did: "edited", session: "s", n: 9, at: 2, edit: { do: "tune" }, canvas, settings: { constraint: rule } }); // prettier-ignore
  assert.deepEqual([ruleAt(tuned, 1), ruleAt(tuned, 2)], [null, rule]);
  const answer = { begins: 1, allowed: [1, 14, 3200, 3200], live: [1, 2, 2, 1, 1], chance: 0.031 };
  assert.equal(leftTo(answer, 2, 3200, true), "3,200 → 14 words allowed here. 2 ways of having begun are still open before it."); // prettier-ignore
  assert.equal(leftTo(answer, 0, 3200, true), "The rule is not about this cell.");
  assert.match(leftTo(answer, 1, 3200, false), /^A word stands here\. One way of having begun is still open/);
  assert.match(chanceOf(answer), /with 3 %\.$/);
});

test("a cell says whether the edit caused its word", () => {
  const canvas = { tokens: [1, 3, -1, -1, -1], kinds: "gpooo" };
  const run = side(
    opened(),
    { did: "edited", session: "s", n: 2, at: 1, edit: { do: "pin", cells: [1], tokens: [3] }, canvas },
    stepped(2, [2, 3, 4], [2, 3, 3], { n: 3 }),
  );
  const other = side(opened(), stepped(1, [1, 2, 3, 4], [5, 4, 3, 3]));
  const edits = [[], [{ do: "pin", cells: [1], tokens: [3], at: 1, passes: 0 }]];
  const comparison = { one: "1", two: "2", since: 0, changed: [[1, 0], [2, 1]], edits }; // prettier-ignore
  const forked = { ...run, branch: "2", branches: new Map([["1", other.moments]]), comparison };
  assert.match(causeOf(forked, 2, 2), /^Your edit caused it: branch 1, .* There stands “ly”\.$/);
  assert.match(causeOf(forked, 2, 3), /^Branch 1 has the same word here/);
  assert.equal(causeOf(forked, 2, 1), ""); // the pin says itself whose it is
});

test("a question is put once to a moment, and one that gave way to a later one may be put again", async () => {
  /** @type {{message: Record<string, any>, answer: (event: any) => void}[]} */
  const questions = [];
  const lenses = new Lenses((message) => new Promise((answer) => questions.push({ message, answer }))); // prettier-ignore
  const run = side(opened(), stepped(1, [1], [2]));
  assert.equal(lenses.look(run, 1, "clash", 2).state, "asking");
  assert.equal(lenses.look(run, 1, "clash", 2).state, "asking");
  assert.equal(lenses.look(run, 1, "clash", 3).state, "asking");
  assert.deepEqual(questions.map(({ message }) => message.cell), [2, 3]); // prettier-ignore
  questions[0]?.answer({ did: "refused", why: "a later question of this kind has replaced this one" });
  questions[1]?.answer({ did: "clash", tried: [3] });
  await new Promise((done) => setTimeout(done));
  assert.deepEqual(lenses.look(run, 1, "clash", 3).answer.tried, [3]);
  assert.equal(lenses.look(run, 1, "clash", 2).state, "asking"); // again
  questions[2]?.answer({ did: "refused", why: "no word is proposed here" });
  await new Promise((done) => setTimeout(done));
  assert.deepEqual([lenses.look(run, 1, "clash", 2).why, questions.length], ["No word is proposed here.", 3]);
  assert.match(lenses.look({ ...run, source: "replay" }, 0, "why", 1).why, /recording/);
});

test("an arc begins and ends at its cells, and no more threads are drawn than can be told apart", () => {
  const box = (/** @type {number} */ left) => ({ left, top: 10, width: 20, height: 20 });
  assert.match(arc(box(0), box(60)), /^M 10 12 C 10 -\d+ 70 -\d+ 70 12$/);
  const many = Array.from({ length: 90 }, (_, i) => ({ from: i, to: 0, weight: i / 90, kind: /** @type {const} */ ("for") })); // prettier-ignore
  assert.deepEqual([strongest(many).length, strongest(many)[0]?.from], [60, 89]);
});
