// What two guesses do to each other, in numbers that can be checked by hand.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  factor,
  moves,
  paidSentence,
  paidUpTo,
  pairs,
  priceOf,
  threadsOf,
  worst,
} from "../../../../dllm/features/lenses/fit.js";
import { emptySide } from "../../../../assets/wire/store.js";

const SIDE = { ...emptySide(), pieces: new Map([[7, " red"], [8, " kite"], [9, "."]]) }; // prettier-ignore
const never = Math.log(0.008 / (0.69 * 0.64));
const answer = {
  tried: [4, 5, 6],
  cells: [4, 5, 6],
  tokens: [7, 8, 9],
  sure: [0.69, 0.64, 0.9],
  lift: [
    [null, never, 0.02],
    [never, null, Math.log(1.1)],
    [0.02, Math.log(1.1), null],
  ],
  coming: 2,
  product: 0.69 * 0.64,
  nats: -never,
};

test("each pair is seen once, with the chance of both together", () => {
  const [first, second, third] = pairs(answer);
  assert.deepEqual([first?.a, first?.b], [4, 5]);
  assert.ok(Math.abs((first?.both ?? 0) - 0.008) < 1e-9);
  assert.deepEqual([second?.a, second?.b, third?.a, third?.b], [5, 6, 4, 6]);
  assert.equal(pairs({ ...answer, lift: [] }).length, 0);
});

test("a thread is as thick as the belief moves, dashed where one word makes the other less likely", () => {
  const threads = threadsOf(pairs(answer));
  assert.deepEqual(threads.map(({ from, to, kind }) => [from, to, kind]), [[4, 5, "against"]]); // prettier-ignore
  assert.equal(threads[0]?.weight, 1);
});

test("the sentences say both chances, the chance together, and the price", () => {
  assert.equal(worst(SIDE, answer), "“red” in cell 4 is 69 % sure and “kite” in cell 5 64 %; both together 0.8 %.");
  assert.equal(worst(SIDE, { ...answer, lift: [] }), "No word here makes another one much less likely.");
  assert.match(
    priceOf(answer),
    /^The chances of the 2 words of the next look multiplied are 44 %, but together they are 55 times less/,
  );
  assert.match(priceOf({ ...answer, nats: 900 }), /but together they are next to impossible\.$/);
  assert.equal(priceOf({ ...answer, coming: 1 }), "The next look writes a single word, so it pays nothing.");
  const row = { ...answer, tried: [4], lift: [answer.lift[0]] };
  assert.equal(moves(SIDE, row), "Were “red” written in cell 4: “kite” in cell 5 goes from 64 % to 1 %.");
  assert.deepEqual([factor(null), factor(0.01), factor(Math.log(1.4)), factor(-Math.log(86)), factor(-50)], ["·", "·", "×1.4", "÷86", "÷1000+"]); // prettier-ignore
});

test("what was paid is summed up to the shown pass", () => {
  const rows = /** @type {[number, number | null][]} */ ([[1, 0.5], [2, 2], [3, null], [4, 9]]); // prettier-ignore
  const paid = paidUpTo(rows, 3);
  assert.deepEqual([paid.sum, paid.most, paid.nats.length], [2.5, { moment: 2, nats: 2 }, 3]);
  assert.match(
    paidSentence(paid, (moment) => moment + 1),
    /has cost 2\.5 nats so far: the text is 12 times less likely .* Look 3 paid most, 2\.0\./,
  );
  assert.match(
    paidSentence(paidUpTo([], 3), () => 0),
    /next to nothing/,
  );
});
