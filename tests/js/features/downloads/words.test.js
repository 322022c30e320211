import assert from "node:assert/strict";
import { test } from "node:test";

import * as words from "../../../../dllm/features/downloads/words.js";

/** @type {any} */
const ROW = {
  name: "ORG/Small-0.6B-diffusion-mdlm-v0.1",
  good: "short answers",
  wanted: "smallest",
  licence: "Apache-2.0",
  download: 1.2e9,
  disk: 2.1e9,
  need: 2.51e9,
  number: "int8",
  fits: true,
  tight: false,
  here: false,
  stored: 0,
  seconds: 0.83,
  state: "closed",
};

test("a model is called by its size, without how it was made", () => {
  assert.equal(words.called(ROW.name), "Small-0.6B");
  assert.equal(words.called("dllm-hub/Qwen3-0.6B-diffusion-bd3lm-v0.1"), "Qwen3-0.6B, bd3lm");
  assert.equal(words.called("causal:Qwen/Qwen3-0.6B"), "Qwen3-0.6B");
});

test("each state says how far it is and offers what can be done", () => {
  assert.equal(words.progress(ROW), "");
  assert.match(words.progress({ ...ROW, fits: false }), /needs 2.5 GB of memory/);
  assert.equal(words.progress({ ...ROW, state: "coming" }), "Opening …");
  const coming = { ...ROW, state: "coming", done: 564e6, total: 1192e6, left: 78 };
  assert.equal(words.progress(coming), "564 of 1192 MB, 8.1 MB a second, 78 s left");
  assert.equal(words.progress({ ...coming, left: 200 }).slice(-10), "3 min left");
  assert.equal(words.progress({ ...ROW, stored: 564e6 }), "564 of 1200 MB are kept.");
  assert.equal(words.progress({ ...ROW, state: "failed", why: "no network" }), "No network.");
  const deeds = (/** @type {object} */ more, owner = true, present = false) =>
    words.deeds({ ...ROW, ...more }, owner, present).map(([, word]) => word);
  assert.deepEqual(deeds({}), ["Get 1.2 GB"]);
  assert.deepEqual(deeds({ stored: 564e6 }), ["Go on", "Delete"]);
  assert.deepEqual(deeds({ here: true, stored: 2e9 }), ["Open", "Delete"]);
  assert.deepEqual(deeds({ fits: false }), []);
  assert.deepEqual(deeds({ state: "coming" }), ["Pause"]);
  assert.deepEqual(deeds({ state: "coming" }, false), []);
  assert.deepEqual(deeds({ state: "open", here: true, stored: 2e9 }), ["Open", "Close", "Delete"]);
  assert.deepEqual(deeds({ state: "open", used: true }), ["Open"]);
  assert.deepEqual(deeds({ state: "open", here: true, stored: 2e9 }, true, true), []);
  assert.deepEqual(deeds({ state: "failed" }), ["Try again"]);
});

test("what is on this disk comes first, then three sizes by what is wanted, and the rest on request", () => {
  const rows = [
    { ...ROW, name: "a/rest", wanted: "" },
    { ...ROW, name: "a/code", wanted: "code", good: "Python" },
    { ...ROW, name: "a/best", wanted: "best", here: true },
    { ...ROW, name: "a/small" },
  ];
  const names = (/** @type {string} */ sought, all = false) =>
    words.groups(rows, sought, all).map(({ title, rows }) => [title, ...rows.map(({ name }) => name)]);
  assert.deepEqual(names(""), [
    ["", "a/best"],
    ["Smallest that talks", "a/small"],
    ["Code", "a/code"],
  ]);
  assert.deepEqual(names("", true).at(-1), ["Others", "a/rest"]);
  assert.deepEqual(names("pyth"), [["Code", "a/code"]]);
});

test("a declined prompt is answered by what is on disk, the larger first, else by the smallest; code by a model for code", () => {
  const small = { ...ROW, name: "a/small" };
  const best = { ...ROW, name: "a/best", wanted: "best" };
  const code = { ...ROW, name: "a/code", wanted: "code" };
  const found = (/** @type {any[]} */ rows, prompt = "Why is the sky blue?") => words.bestOf(rows, prompt)?.name;
  assert.equal(found([best, code, small]), "a/small");
  assert.equal(found([{ ...best, here: true }, code, small]), "a/best");
  assert.equal(found([{ ...best, here: true }, code, { ...small, here: true }]), "a/best");
  assert.equal(found([best, code, small], "Write a Python function"), "a/code");
  assert.equal(
    found([
      { ...small, fits: false },
      { ...best, fits: false },
    ]),
    undefined,
  );
});
