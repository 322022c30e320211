// The sentence about both sides: looks first, a speed only for equal work.
import assert from "node:assert/strict";
import { test } from "node:test";
import { consequence, sentence } from "../../../assets/views/sentence.js";

/** @param {object} cost @param {object} [more] */
function side(cost, more = {}) {
  const plain = { passes: 0, tokens: 0, perPass: 1, clock: 0, thinking: 1, other: 0, rate: 1, afterFirst: 1, first: 1 };
  return /** @type {any} */ ({
    cost: { ...plain, done: true, shared: false, failed: false, ...cost },
    absent: false,
    causal: false,
    gaps: false,
    title: "",
    ...more,
  });
}
const OVER = { begun: true, over: true, slowed: false, same: false };
const twin = (/** @type {object} */ cost, more = {}) => side(cost, { causal: true, ...more });
const read = (/** @type {any} */ says) =>
  `${says.first.map((/** @type {any} */ { text }) => text).join("")} ${says.second}`.trim();

test("twenty-one situations", () => {
  const a = side({ passes: 11, tokens: 71, clock: 311 });
  const b = twin({ passes: 72, tokens: 71, clock: 328 });
  const LOOKS = "Diffusion finished after 11 looks at the text; one word at a time took 72.";
  const cases = [
    [[a, b], OVER, `${LOOKS} On this processor, both took about as long.`],
    [[{ ...a, remote: true }, b], OVER, `${LOOKS} One of the two runs on another machine, so times say nothing.`],
    [
      [a, twin({ passes: 72, tokens: 71, clock: 160 })],
      OVER,
      `${LOOKS} On this processor, one word at a time was 1.9 × faster.`,
    ],
    [
      [a, twin({ passes: 72, tokens: 71, clock: 930 })],
      OVER,
      `${LOOKS} On this processor, Diffusion was 3.0 × faster.`,
    ],
    [[a, twin({ passes: 72, tokens: 71, clock: 380 })], OVER, `${LOOKS} On this processor, both took about as long.`],
    [
      [a, twin({ passes: 72, tokens: 71, clock: 328, shared: true })],
      OVER,
      `${LOOKS} Something else used this processor meanwhile, so times say nothing. Run it again to compare them.`,
    ],
    [
      [side({ passes: 2, tokens: 2, clock: 40 }, { gaps: true }), twin({ passes: 33, tokens: 33, clock: 160 })],
      OVER,
      "Diffusion finished after 2 looks at the text; one word at a time took 33. It cannot look ahead to the words that were given, so times say nothing here.",
    ],
    [
      [a, twin({ passes: 24, tokens: 24, clock: 100 })],
      OVER,
      "Diffusion finished after 11 looks at the text; one word at a time took 24. Their texts differ too much in length to compare their times.",
    ],
    [
      [a, twin({ passes: 1, tokens: 0, clock: 5 })],
      OVER,
      "Diffusion finished after 11 looks at the text; one word at a time took 1.",
    ],
    [
      [side({ passes: 1, tokens: 71, clock: 311 }), b],
      OVER,
      "Diffusion finished after 1 look at the text; one word at a time took 72. On this processor, both took about as long.",
    ],
    [[a, twin({ failed: true, passes: 3 })], OVER, "One word at a time broke off before its text was finished."],
    [[side({ failed: true, passes: 3 }), b], OVER, "Diffusion broke off before its text was finished."],
    [[a, side({}, { absent: true })], OVER, "Diffusion finished after 11 looks at the text."],
    [[a, side({}, { absent: true })], { ...OVER, over: false }, "Diffusion has taken 11 looks at the text so far."],
    [[side({}, { absent: true }), b], OVER, "One word at a time finished after 72 looks at the text."],
    [[side({}, { absent: true }), side({}, { absent: true })], OVER, "Write how a text begins, and press Run."],
    [
      [a, b],
      { begun: false, over: false, slowed: false, same: false },
      "Two models will write the same text. One may look everywhere; the other goes from left to right.",
    ],
    [
      [a, b],
      { begun: true, over: false, slowed: true, same: false },
      "Diffusion writes wherever it is sure; its twin writes the next word. Slowed down; both run on one clock.",
    ],
    [
      [a, b],
      { begun: true, over: false, slowed: false, same: false },
      "Diffusion writes wherever it is sure; its twin writes the next word. Both run on one clock.",
    ],
    [
      [a, side({ passes: 20, tokens: 70, clock: 600 }, { title: "Branch 1" })],
      OVER,
      "Diffusion finished after 11 looks at the text, Branch 1 after 20 looks. On this processor, Diffusion was 1.9 × faster.",
    ],
    [
      [a, side({ passes: 20, tokens: 70, clock: 300 })],
      { ...OVER, over: false },
      "Diffusion and Diffusion write the same text. Both run on one clock.",
    ],
  ];
  assert.equal(cases.length, 21);
  for (const [sides, when, text] of cases)
    assert.equal(read(sentence(/** @type {any} */ (sides), /** @type {any} */ (when))), text);
});

test("what a person's words have led to is counted, and nothing is promised while it runs", () => {
  const one = { name: "Diffusion", side: /** @type {const} */ ("first"), words: 1, followed: 1, over: true, from: 4 };
  const says = (/** @type {object} */ more) => read(consequence({ ...one, twin: false, yours: true, ...more }));
  assert.equal(
    says({ twin: true }),
    "You changed one word. Diffusion went back, and one more followed. One word at a time never goes back: what it wrote stays.",
  );
  assert.equal(says({ followed: 0 }), "You changed one word. Diffusion went back, and nothing else changed.");
  assert.equal(says({ followed: 3, words: 2 }), "You changed 2 words. Diffusion went back, and 3 more followed.");
  assert.equal(says({ yours: false }), "One word was changed. Diffusion went back, and one more followed.");
  assert.equal(says({ words: 0, followed: 2 }), "Diffusion went back, and 2 more followed.");
  assert.match(says({ over: false }), /^Diffusion goes on from look 4, with your word\./);
  assert.match(says({ over: false, words: 2 }), /with your words\./);
  assert.match(says({ over: false, yours: false }), /^Diffusion goes on from look 4\. What/);
});

test("two texts that are the same are not told apart by their looks alone", () => {
  // in ten of eighteen runs a text was compared with itself, mistakes included, and nothing said so
  const [a, b] = [side({ passes: 11, tokens: 71 }), twin({ passes: 72, tokens: 71 })];
  const same = { ...OVER, same: true };
  assert.equal(read(sentence([a, b], same)), "Diffusion wrote word for word the same, in 11 looks instead of 72.");
  assert.deepEqual(
    sentence([a, b], same).first.flatMap(({ text, as }) => (as ? [[text, as]] : [])),
    [
      ["Diffusion", "first"],
      ["11 looks", "first"],
      ["72", "second"],
    ],
  );
  const bold = side({ passes: 8, tokens: 71 }, { title: "bold" });
  assert.equal(
    read(sentence([a, bold], same)),
    "Diffusion and bold wrote word for word the same, in 11 looks and 8 looks.",
  );
  // it said "in 12 looks and 12 looks"
  const even = side({ passes: 11, tokens: 71 }, { title: "bold" });
  assert.equal(read(sentence([a, even], same)), "Diffusion and bold wrote word for word the same, in 11 looks each.");
  assert.ok(read(sentence([a, { ...b, cost: { ...b.cost, failed: true } }], same)).includes("broke off"));
});
