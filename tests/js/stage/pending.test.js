// A run that begins if the model knows its prompt waits for the answer, also while the model is still being opened.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Machine } from "../../../assets/stage/machine.js";
import { Runs } from "../../../assets/stage/runs.js";

/** Runs with a pending one, and what they called of the stage. */
function pendingRun() {
  /** @type {any[]} */
  const calls = [];
  const record =
    (/** @type {string} */ what) =>
    (/** @type {any[]} */ ...more) =>
      calls.push([what, ...more]);
  const machine = new Machine();
  const stage = /** @type {any} */ ({
    machine,
    note: record("note"),
    refused: record("refused"),
  });
  const runs = new Runs(stage);
  machine.send("ask", { request: { id: "1", prompt: "A fox met a hen.", sides: [] }, showing: null });
  return { runs, calls, machine };
}

test("a sign that a model is being opened is no answer", () => {
  // it was taken for one: a good prompt was "nothing this small model was trained on" wherever opening took half a second
  const { runs } = pendingRun();
  runs.answered({ did: "loading", id: "1", model: "denoiser" });
  assert.ok(runs.pending);
  assert.equal(runs.outside, "");
});

test("a declined prompt comes with its offers, and nothing is being opened any more", () => {
  const { runs, machine } = pendingRun();
  const offers = [{ prompt: "Story: Fox met Hen.", length: 144 }];
  machine.send("loading", { did: "loading", id: "1", model: "denoiser" });
  runs.answered({ did: "familiar", id: "1", known: false, offers });
  assert.equal(runs.pending, null);
  assert.equal(runs.outside, "A fox met a hen.");
  assert.deepEqual(runs.instead, { offers, weak: "" });
  assert.ok(machine.in("model", "there"));
});

test("a refusal and another request's answer leave the prompt as it is", () => {
  const { runs } = pendingRun();
  runs.answered({ did: "familiar", id: "2", known: false, offers: [] });
  assert.ok(runs.pending);
  runs.answered({ did: "refused", id: "1", do: "open", why: "busy" });
  assert.equal(runs.pending, null);
  assert.equal(runs.outside, "");
});

test("Run while another model is being opened begins as its card decodes, not as the controls say", () => {
  // the pair's decoder was sent to it: "the model failed: 'proofread' needs a model that also decodes from left to right"
  /** @type {any[]} */
  const sent = [];
  const nothing = () => {};
  Object.assign(globalThis, {
    HTMLTextAreaElement: class {},
    document: { querySelector: () => null },
    dispatchEvent: () => true,
  });
  const machine = new Machine();
  const stage = /** @type {any} */ ({
    machine,
    values: { prompt: "3 4 5", length: 24, preset: "proofread" },
    models: ["dream"],
    newId: () => String(sent.length + 2),
    setValues: nothing,
    open: (/** @type {any} */ message) => sent.push(message),
    note: nothing,
    player: { inSlowMotion: nothing },
    selection: { settle: nothing },
  });
  const runs = new Runs(stage);
  machine.send("openAsCardSays", { id: "1" });
  runs.run({}, true);
  assert.deepEqual(
    sent[0].sides.map((/** @type {any} */ side) => side.preset),
    [null],
  );
  assert.deepEqual([sent[0].id, machine.kept("card").id], ["2", "2"]);
});
