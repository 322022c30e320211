// The quality mark: asked once for a finished text, never for one that is still being written.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Qualities, spelled } from "../../../assets/stage/quality.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened, stepped } from "../runs.js";

const pieces = { 1: "Sort:", 2: " two", 3: " three", 9: "<end>" };

/** @param {...any} events */
function side(...events) {
  return events.reduce(reduce, { sides: [emptySide()] }).sides[0];
}

test("a finished text is judged once, by its prompt and its words up to the end", async () => {
  /** @type {any[]} */
  const questions = [];
  const ask = async (/** @type {any} */ message) => {
    questions.push(message);
    return { did: "judged", facts: 2, hold: 1, strict: false, faults: 1, reasons: ["it breaks off"] };
  };
  const qualities = new Qualities(ask);
  const run = side(
    { ...opened(), pieces },
    stepped(1, [1, 2], [3, 2], { open: 2 }),
    stepped(2, [3, 4], [9, 2], { open: 0, done: true }),
  );
  assert.deepEqual(spelled(run, 2), { prompt: "Sort:", text: "Sort: three two" });
  assert.equal(qualities.of(run, 1), null);
  assert.equal(qualities.of(run, 2), undefined); // being judged
  assert.deepEqual([qualities.pending(run, 1), qualities.pending(run, 2)], [false, true]);
  await new Promise((done) => setTimeout(done));
  assert.deepEqual(qualities.of(run, 2), { facts: 2, hold: 1, strict: false, faults: 1, reasons: ["it breaks off"] });
  assert.equal(qualities.pending(run, 2), false);
  assert.deepEqual([questions.length, qualities.state.answers], [1, 1]);
  assert.deepEqual(questions[0], { do: "judge", prompt: "Sort:", text: "Sort: three two" });
});
