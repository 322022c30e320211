// What is known of one cell: the newest that is known, and what its guess turned at.
import assert from "node:assert/strict";
import { test } from "node:test";
import { because, beliefAt, guesses, lastBelief, otherChoice, placeOf, turning } from "../../../assets/views/belief.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened, packed, stepped } from "../runs.js";

/** @param {...any} events */
function side(...events) {
  return events.reduce(reduce, { sides: [emptySide()] }).sides[0];
}

const peeked = (/** @type {number} */ at) => ({
  did: "peeked",
  session: "s",
  n: 10 + at,
  cell: 1,
  at,
  about: { candidates: [[2, " two", 0.8]], entropy: 0.5, margin: 0.6 },
});

test("an answer that comes late is shown with the pass it speaks of", () => {
  const run = side(opened(), stepped(1, [], []), stepped(2, [2], [2]), peeked(1));
  assert.equal(lastBelief(run, 2, 1)?.at, 1);
  assert.equal(lastBelief(run, 2, 3), null);
  assert.equal(lastBelief(run, 1, 1)?.candidates[0]?.piece, " two");
});

test("a guess is shown with what was written just before it turned", () => {
  const other = packed([-1, 3, 3, 3, 3]);
  const run = side(opened(), stepped(1, [2], [2]), stepped(2, [], [], { g: other }));
  assert.equal(turning(run, 2, 1), "Its likeliest word turned to “three” at look 2, just after “two” was written.");
  assert.equal(turning(run, 1, 1), "Its likeliest word has been “two” from the first look on.");
  assert.equal(turning(run, 0, 1), "");
});

test("of a written word only the guesses before it was written count", () => {
  const run = side(opened(), stepped(1, [1], [2]), stepped(2, [2], [2], { g: packed([-1, 3, 3, 3, 3]) }));
  assert.equal(turning(run, 2, 1), "Its likeliest word has been “two” from the first look on.");
});

test("a cell says when and why it was written", () => {
  const run = side(opened(), stepped(1, [1], [2]), stepped(2, [1], [3], { was: [2] }));
  assert.equal(because(run, 1, 1), "Written by the model at look 1: rank 1 of 4, quota 1.");
  assert.equal(because(run, 2, 1), "Written by the model at look 2 in place of “two”: rank 1 of 4, quota 1.");
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
  const about = { candidates: [[2, " two", 0.5]], entropy: 1, margin: 0.2 };
  const live = side(opened(), stepped(1, [1], [2]), { did: "peeked", session: "s", n: 3, cell: 1, at: 1, about });
  assert.equal(beliefAt(live, 1, 1)?.candidates[0]?.share, 0.5);
  assert.equal(beliefAt(live, 1, 2), null);
});

test("what else might have been written is another word, not the same one joined otherwise", () => {
  const about = {
    candidates: [
      [2, " two", 0.8],
      [5, "two", 0.1],
      [3, " three", 0.06],
    ],
  };
  const answer = { ...peeked(1), about };
  const run = side(opened(), stepped(1, [1], [2]), stepped(2, [3], [2]), answer);
  assert.equal(placeOf(run, 2, 1, 1), 1);
  assert.equal(otherChoice(run, 2, 1)?.piece, " three"); // as it stood when the word was written, at pass 1
  assert.equal(otherChoice(run, 2, 3), null); // nobody has asked
});
