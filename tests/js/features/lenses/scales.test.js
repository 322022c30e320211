// Which probability is shown, where a head looks, what a gain says, and how far looks are apart.
import assert from "node:assert/strict";
import { test } from "node:test";
import { driftSeries, orderSentence } from "../../../../dllm/features/lenses/drift.js";
import { paidSentence, paidUpTo, priceOf } from "../../../../dllm/features/lenses/fit.js";
import { lookingSentence, seenCells, shades } from "../../../../dllm/features/lenses/looking.js";
import { isCalibrated, onScale, scaleSentences } from "../../../../dllm/features/lenses/scale.js";
import { Shade } from "../../../../dllm/features/lenses/shade.js";
import { emptySide, reduce } from "../../../../assets/wire/store.js";
import { opened, stepped } from "../../runs.js";

/** @param {...Record<string, any>} events */
function side(...events) {
  let stage = { sides: [emptySide()] };
  for (const event of events) stage = reduce(stage, /** @type {any} */ (event));
  return /** @type {import("../../../../assets/wire/store.js").Side} */ (stage.sides[0]);
}

test("an answer is shown on the scale that was chosen, and a sentence says which it is", () => {
  const why = { did: "why", share: 0.6, others: [1], nats: [0.2], raw: { share: 0.9, nats: [0.5] } };
  assert.deepEqual([onScale(why, false).share, onScale(why, true).share], [0.6, 0.9]);
  assert.deepEqual([onScale(why, true).nats, onScale(why, true).others], [[0.5], [1]]);
  const layers = { did: "layers", share: [[0.1]], raw: [[0.2]] };
  assert.deepEqual(onScale(layers, true).share, [[0.2]]);
  assert.deepEqual(onScale({ did: "attention", weights: [1] }, true).weights, [1]); // has one scale
  const run = { ...emptySide(), head: { model: { calibration: [1, 1.2] } } };
  assert.ok(isCalibrated(/** @type {any} */ (run)) && !isCalibrated(emptySide()));
  assert.equal(scaleSentences(true, false).says, "Probabilities are calibrated.");
  assert.equal(scaleSentences(false, false).says, "Probabilities are not calibrated.");
  assert.equal(scaleSentences(true, true).says, "Probabilities are raw.");
});

test("the cells that a head looks at come first, with their shares; what is looked at most is darkest", () => {
  const run = side(opened(), stepped(1, [1, 2, 3], [2, 3, 1]));
  const answer = { weights: [0.1, 0.001, 0.6, 0.2], elsewhere: 0.099 };
  const rows = seenCells(run, 1, answer);
  assert.deepEqual(rows.map(({ cell }) => cell), [2, 3, 0]); // prettier-ignore
  assert.equal(
    lookingSentence("“two”", rows, answer),
    `For “two” this head looks most at ${rows[0]?.word} in cell 2: 60 %. 10 % go to tokens that are no words.`,
  );
  assert.match(lookingSentence("“two”", [], { elsewhere: 1 }), /looks at no cell: 100 %/);
  assert.deepEqual(shades([0.1, 0, 0.4]), [0.25, 0, 1]);
});

test("the ground of each cell is set once, and taken away when the lens is closed", () => {
  /** @type {Record<string, string>[]} */
  const styles = [{}, {}];
  const cells = styles.map((style) => ({
    place: {
      toggleAttribute: (/** @type {string} */ name, /** @type {boolean} */ on) => (style[name] = String(on)),
      style: {
        setProperty: (/** @type {string} */ name, /** @type {string} */ value) => (style[name] = value),
        removeProperty: (/** @type {string} */ name) => delete style[name],
      },
    },
  }));
  const shade = new Shade();
  shade.show(/** @type {any} */ ({ cells, painted: 1 }), [0, 1]);
  assert.deepEqual(styles, [{ "data-seen": "false" }, { "data-seen": "true", "--seen": "1.000" }]);
  shade.show(/** @type {any} */ ({ cells, painted: 1 }), []);
  assert.deepEqual(styles, [{ "data-seen": "false" }, { "data-seen": "false" }]);
});

test("a negative price says that words suit each other", () => {
  // it once said that they would do no worse, and of a whole run that it had cost next to nothing
  const price = priceOf({ coming: 3, product: 0.2, nats: -1 });
  assert.match(price, /together they are 2\.7 times likelier than that, since they suit each other: -1\.0 nats/);
  const paid = paidUpTo([[1, -2.5], [2, 0.4], [3, null]], 3); // prettier-ignore
  assert.match(
    paidSentence(paid, (moment) => moment),
    /has cost nothing so far.*8\.2 times likelier.*\(-2\.1 nats\)/,
  );
});

test("looks that are compared have their places, and the order of writing its error", () => {
  const run = side(opened(), stepped(1, [1], [2]), stepped(2, [2], [3]));
  const answer = { at: [1, 2], last: [0.4, 0], before: [null, 0.1], order: { tau: 0.46, error: 0.091, words: 40 } };
  assert.deepEqual(driftSeries(run, answer), { x: [1, 2], last: [0.4, 0], before: [null, 0.1] });
  assert.equal(orderSentence("Diffusion", answer), "Diffusion: left to right 0.46 ± 0.09, over 40 words.");
  assert.match(orderSentence("Diffusion", { order: null }), /all words came at once, or too few/);
});
