// From the values of the controls to a request.
import assert from "node:assert/strict";
import { test } from "node:test";
import { changesOf, needsNewRun, openRequest, settingsOf } from "../../../assets/wire/request.js";

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
  const message = openRequest(values, ["denoiser", "twin"], "id");
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
