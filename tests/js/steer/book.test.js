import assert from "node:assert/strict";
import { test } from "node:test";

import * as shelf from "../../../assets/steer/book.js";

/** @type {any} */
const BOOK = {
  name: "ORG/Small-0.6B",
  good: "short answers",
  licence: "Apache-2.0",
  billions: 0.6,
  download: 1.2e9,
  need: 2.51e9,
  number: "bf16",
  fits: true,
  here: false,
  seconds: 0.83,
  state: "closed",
};

test("sizes and times have no more digits than tell something", () => {
  assert.equal(shelf.size(25_751_480), "26 MB");
  assert.equal(shelf.size(1_249_000_000), "1.2 GB");
  assert.deepEqual([0.0123, 0.83, 2.04, 12.4].map(shelf.time), ["12 ms", "0.8 s", "2.0 s", "12 s"]);
});

test("before one presses, everything that a press costs stands there", () => {
  assert.equal(
    shelf.facts(BOOK).replaceAll("\u00a0", " "),
    "0.6 billion numbers · 1.2 GB to download · 2.5 GB of memory in bf16 · Apache-2.0 · about 0.8 s a look here",
  );
  assert.match(shelf.facts({ ...BOOK, here: true }), /is on this machine/);
});

test("each state says how far it is and offers what can be done", () => {
  assert.equal(shelf.progress(BOOK), "");
  assert.match(shelf.progress({ ...BOOK, fits: false }), /needs 2.5 GB of memory/);
  assert.equal(shelf.progress({ ...BOOK, state: "coming" }), "Opening …");
  const coming = { ...BOOK, state: "coming", done: 10_485_760, total: 25_751_480, left: 3.2 };
  assert.equal(shelf.progress(coming), "40 % of 26 MB, about 3.2 s left");
  assert.equal(shelf.progress({ ...BOOK, state: "failed", why: "no network" }), "no network");
  const deeds = (/** @type {object} */ more, owner = true) =>
    shelf.deeds({ ...BOOK, ...more }, owner).map(([, w]) => w);
  assert.deepEqual(deeds({}), ["Fetch"]);
  assert.deepEqual(deeds({ here: true }), ["Open"]);
  assert.deepEqual(deeds({ fits: false }), []);
  assert.deepEqual(deeds({ state: "coming" }), ["Cancel"]);
  assert.deepEqual(deeds({ state: "coming" }, false), []);
  assert.deepEqual(deeds({ state: "open" }), ["Use it", "Close"]);
  assert.deepEqual(deeds({ state: "open", used: true }), ["Use it"]);
  assert.deepEqual(deeds({ state: "failed" }), ["Try again"]);
});

test("what is done with files that are here is said step by step", () => {
  /** @param {string} stage */
  const step = (stage, done = 0, total = 1) =>
    shelf.stageSentence({ model: "/some/folder/Tiny?number=int8", stage, done, total });
  assert.equal(step("reading"), "Opening Tiny: its files are read …");
  assert.equal(step("converting", 12, 28), "Opening Tiny: layer 12 of 28 is converted for this machine, once …");
  assert.equal(step("comparing"), "Opening Tiny: eight bits are compared with full precision …");
  assert.equal(step("testing"), "Opening Tiny: self-test …");
  assert.equal(
    shelf.progress({ ...BOOK, name: "org/Tiny", state: "coming", stage: "converting", done: 12, total: 28 }),
    step("converting", 12, 28),
  );
});
