// The run as a picture: a bar for each pass, and round places on its axis.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axisOf, bars, meets } from "../../../assets/stage/bars.js";
import { times } from "../../../assets/clock/playhead.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened, stepped } from "../runs.js";

test("a pass is a bar, an edit is none", () => {
  const pin = {
    did: "edited",
    session: "s",
    n: 9,
    at: 3,
    edit: { do: "pin", cells: [2], tokens: [4] },
    canvas: opened().canvas,
  };
  const events = [opened(), stepped(1, [1], [2]), stepped(2, [2], [2]), pin];
  const side = /** @type {any} */ (events.reduce(reduce, { sides: [emptySide()] })).sides[0];
  const path = bars(side, times(side, "pass"), 3, false);
  assert.equal(path.match(/M/g)?.length, 2);
  assert.equal(bars(side, times(side, "pass"), 3, false, 2).match(/M/g)?.length, 1);
  assert.equal(bars(emptySide(), [], 0, false), "");
});

test("an axis has few places, all of them round", () => {
  assert.deepEqual(axisOf(178), [0, 50, 100, 150]);
  assert.deepEqual(axisOf(0), []);
  for (const last of [1, 9, 33, 178, 560, 4200, 91_000])
    assert.ok(axisOf(last).length >= 2 && axisOf(last).length <= 5, `${last}`);
});

test("a number that would meet the unit at the end of the axis is left out", () => {
  const unit = "0.18 s of computing".length;
  assert.equal(meets(150 / 178, 4, unit, 100), true); // 84 of 100 letters, and the unit begins at 81
  assert.equal(meets(100 / 178, 3, unit, 100), false);
  assert.equal(meets(0, 1, unit, 100), false);
});
