// A text that makes little sense is told while it is written, and not before as much of it stands as can be read.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Nonsense, written } from "../../../assets/stage/nonsense.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened, stepped } from "../runs.js";

const cells = (/** @type {number} */ from, /** @type {number} */ many) =>
  Array.from({ length: many }, (_, i) => from + i);

/**
 * A live run, or one with other events behind it.
 * @param {number[]} many cells that each look writes, from the front
 * @param {...any} events
 */
function run(many, ...events) {
  let next = 1;
  const looks = many.map((count, i) => {
    next += count;
    return stepped(i + 1, cells(next - count, count), Array(count).fill(2), { open: 81 - next });
  });
  return [opened(80), ...looks, ...events].reduce(reduce, { sides: [emptySide()] }).sides[0];
}

test("it is read from 32 tokens on, each dozen of looks, and told from then on", async () => {
  /** @type {Record<string, any>[]} */
  const questions = [];
  const answers = [false, true];
  const nonsense = new Nonsense(async (message) => {
    questions.push(message);
    const offers = [{ prompt: "Story: Tom had a red hat.", length: 144 }];
    return { did: "nonsense", found: answers.shift(), offers };
  });
  assert.equal(nonsense.of(run([20]), 1), null);
  assert.deepEqual(questions, []); // twenty tokens say too little
  const looks = [20, 20, ...Array(12).fill(2)];
  assert.equal(nonsense.of(run(looks.slice(0, 2)), 2), null);
  await Promise.resolve();
  assert.deepEqual(questions, [{ do: "nonsense", session: "s" }]);
  for (let many = 3; many <= 14; many++) assert.equal(nonsense.of(run(looks.slice(0, many)), many), null);
  await Promise.resolve();
  assert.equal(questions.length, 2);
  const side = run(looks);
  assert.equal(nonsense.of(side, 14)?.offers[0]?.prompt, "Story: Tom had a red hat.");
  assert.equal(nonsense.of(side, 13), null); // what is looked at again was not known then
  assert.equal(nonsense.of(run(looks.slice(0, 5)), 5), null); // the run went back and goes on otherwise
});

test("a recording cannot be stopped, so nobody asks about it; what follows a gap does not count", () => {
  const nonsense = new Nonsense(() => assert.fail());
  assert.equal(nonsense.of({ ...run([40]), source: "replay" }, 1), null);
  const side = run([10], stepped(2, cells(30, 40), Array(40).fill(2), { open: 30 }));
  assert.equal(written(side), 10);
});
