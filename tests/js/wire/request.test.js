// From the values of the controls to a request.
import assert from "node:assert/strict";
import { test } from "node:test";
import { changesOf, needsNewRun, openRequest, reopenRequest, settingsOf } from "../../../assets/wire/request.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened, stepped } from "../runs.js";

test("the controls become settings, and only the chosen policy's knobs count", () => {
  const values = {
    prompt: "x",
    length: 8,
    preset: "fast-dllm",
    policy: "threshold",
    passes: 8,
    "threshold.tau": 0.9,
    "margin.heat": 1,
    seed: 3,
  };
  assert.deepEqual(settingsOf(values), { policy: "threshold", passes: 8, seed: 3, options: { tau: 0.9 } });
  assert.deepEqual(changesOf(values, { ...values, "threshold.tau": 0.7 }), { options: { tau: 0.7 } });
  assert.equal(changesOf(values, { ...values, "margin.heat": 2 }), null);
  assert.ok(needsNewRun(values, { ...values, prompt: "y" }));
  const message = openRequest(values, settingsOf(values), ["denoiser", "twin"], "id");
  assert.deepEqual(
    message.sides.map((l) => [l.model, l.settings.seed, l.settings.policy]),
    [
      ["denoiser", 3, "threshold"],
      ["twin", 3, undefined],
    ],
  );
});

test("what was drawn is sent only while the schedule is drawn", () => {
  assert.equal(settingsOf({ schedule: "linear", shares: [1] }).shares, undefined);
  assert.deepEqual(settingsOf({ schedule: "drawn", shares: [1] }).shares, [1]);
});

test("a recording is begun again with the edits before the moment that is shown, and beside it a side of its own", () => {
  const pin = (/** @type {number} */ at) => ({
    did: "edited",
    session: "s",
    n: 9 + at,
    at,
    edit: { do: "pin", cells: [at], tokens: [3] },
    canvas: opened().canvas,
  });
  const events = [opened(), stepped(1, [1], [2]), pin(2), stepped(3, [3], [2]), pin(4)];
  const run = /** @type {any} */ (events.reduce(reduce, { sides: [emptySide()] })).sides[0];
  const request = reopenRequest([{ ...run, source: "replay" }, emptySide()], ["one", "two"], "id", [3, -1]);
  const [first, second] = /** @type {any[]} */ (request.sides);
  assert.deepEqual(first.edits, [[2, { do: "pin", cells: [2], tokens: [3] }]]);
  assert.deepEqual(second, { model: "two", preset: "autoregressive", settings: {} });
  assert.equal(request.length, run.moments[0].open);
});
