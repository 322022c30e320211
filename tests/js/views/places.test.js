// What the first page behind the view says: figures that differ, marks that occur, and what a place held.
import assert from "node:assert/strict";
import { test } from "node:test";
import { faces } from "../../../assets/cells/face.js";
import { costOf } from "../../../assets/views/meters.js";
import { comparison } from "../../../assets/views/comparison.js";
import { marksOf } from "../../../assets/views/marks.js";
import { placeSentence } from "../../../assets/views/place_sentence.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened, stepped } from "../runs.js";

/** @param {any[]} events */
function side(events) {
  const [made] = events.reduce(
    (stage, event) => reduce(stage, event),
    /** @type {any} */ ({
      sides: [emptySide()],
    }),
  ).sides;
  return /** @type {import("../../../assets/wire/store.js").Side} */ (made);
}

const run = () => side([opened(4), stepped(1, [1], [2]), stepped(2, [2, 3, 4], [3, 3, 4], { open: 0, done: true })]);

/** @param {Partial<import("../../../assets/views/meters.js").Cost>} changes */
const cost = (changes) => ({ ...costOf(run(), 2), ...changes });

test("what differs has a row with shares of the larger value, and what is alike is one sentence", () => {
  const one = {
    cost: cost({ passes: 10, tokens: 70, clock: 200, first: 20, perPass: 7, done: true }),
    facts: { hold: 7, facts: 7 },
  };
  const two = {
    cost: cost({ passes: 70, tokens: 70, clock: 190, first: 3, perPass: 1, done: true }),
    facts: { hold: 7, facts: 7 },
  };
  const { rows, same } = comparison([one, two]);
  const looks = rows.find(({ label }) => label === "looks at the text");
  assert.deepEqual(
    looks?.values.map(({ text, share }) => [text, Math.round(100 * share)]),
    [
      ["10", 14],
      ["70", 100],
    ],
  );
  assert.ok(!rows.some(({ label }) => label === "finished after" || label === "tokens"));
  assert.equal(same, "The same on both sides: finished after 200 ms and 190 ms, 70 tokens, 7 of 7 facts that agree.");
  const far = comparison([
    one,
    { ...two, cost: cost({ passes: 70, tokens: 40, clock: 900, done: true }), facts: { hold: 5, facts: 7 } },
  ]);
  const labels = far.rows.map(({ label }) => label);
  for (const label of ["finished after", "tokens", "facts that agree"]) assert.ok(labels.includes(label), label);
  const alone = comparison([one]);
  assert.equal(alone.same, "");
  assert.ok(alone.rows.some(({ label }) => label === "finished after"));
});

test("only marks that occur are explained, each on a word of its own", () => {
  const made = run();
  const row = faces(made, 2);
  const known = marksOf(row).map(({ look, count }) => [look, count]);
  assert.ok(!known.some(([look]) => look === "pinned"));
  const pinned = row.map((face, i) => (i === 2 ? { ...face, look: "cell pinned" } : face));
  assert.ok(marksOf(pinned).some(({ look, count }) => look === "pinned" && count === 1));
});

test("a place says what it held, when that was written, and what it will hold", () => {
  const made = run();
  assert.match(placeSentence(made, 0, 0), /^Look 0, place 0\. Part of the prompt\.$/);
  assert.match(placeSentence(made, 1, 1), /^Look 1, place 1\. This look wrote “.+”, at \d+ %\.$/);
  assert.match(placeSentence(made, 2, 1), /It holds “.+”, from look 1\.$/);
  assert.match(placeSentence(made, 1, 3), /Still open\..* It will hold “.+” from look 2\.$/);
});
