// The page's formula gives the times that Python gives.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { passSeconds, runSeconds } from "../../../assets/clock/pass_time.js";

const { chips, sizes, works, cases } = JSON.parse(
  readFileSync(new URL("../../contract/clock_cases.json", import.meta.url), "utf8"),
);

/** @param {number} found @param {number} wanted */
function close(found, wanted) {
  assert.ok(Math.abs(found - wanted) <= 1e-12 * Math.abs(wanted), `${found} is not ${wanted}`);
}

test("every chip and model has the time that Python gives", () => {
  assert.equal(cases.length, Object.keys(chips).length * Object.keys(sizes).length);
  for (const { chip, size, seconds, ...rest } of cases) {
    const machine = { chip: chips[chip], size: sizes[size], ...rest };
    seconds.forEach((/** @type {number} */ wanted, /** @type {number} */ i) =>
      close(passSeconds(machine, works[i]), wanted),
    );
    close(
      runSeconds(machine, works),
      seconds.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0),
    );
  }
});

test("a run of a thousand passes is timed well within a repaint", () => {
  const [{ chip, size, ...rest }] = cases;
  const machine = { chip: chips[chip], size: sizes[size], ...rest };
  const run = Array.from({ length: 1000 }, (_, i) => works[i % works.length]);
  const times = Array.from({ length: 40 }, () => {
    const began = performance.now();
    runSeconds(machine, run);
    return performance.now() - began;
  }).sort((a, b) => a - b);
  const slow = times[37] ?? Infinity;
  assert.ok(slow < 16, `p95 is ${slow} ms`);
});
