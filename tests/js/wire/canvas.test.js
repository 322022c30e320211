// What the engine packs, the page unpacks; a trace is read, and what is none is refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { NOTHING, OPEN, PINNED, WRITTEN, canvasOf, rowOfCanvas, unpacked } from "../../../assets/wire/canvas.js";
import { canvasAfter } from "../../../assets/wire/upgrade.js";
import { packed } from "../runs.js";

test("packed rows of each width come back, and all ones mean nothing", () => {
  assert.deepEqual([...unpacked(packed([0, 255], 1), 1)], [0, 255]);
  assert.deepEqual([...unpacked(packed([7, 40_000, NOTHING], 2), 2)], [7, 40_000, NOTHING]);
  assert.deepEqual([...unpacked(packed([150_000, NOTHING], 3), 3)], [150_000, NOTHING]);
  assert.deepEqual([...unpacked("", 2)], []);
});

test("a canvas without names names its cells by place", () => {
  const canvas = canvasOf({ tokens: [3, -1], kinds: "po" });
  assert.deepEqual([...canvas.ids], [0, 1]);
  assert.deepEqual([...canvas.kinds], [PINNED, OPEN]);
});

test("edits of a trace are made as the engine makes them", () => {
  const canvas = canvasOf({ tokens: [3, 4, -1], kinds: "gwo" });
  const pinned = canvasAfter(canvas, { do: "pin", cells: [2], tokens: [8] });
  assert.deepEqual([...pinned.tokens], [3, 4, 8]);
  assert.equal(canvasAfter(pinned, { do: "release", cells: [2] }).kinds[2], WRITTEN);
  assert.deepEqual([...canvasAfter(canvas, { do: "erase", cells: [1] }).kinds].filter((k) => k === OPEN).length, 2);
  assert.equal(canvasAfter(canvas, { do: "ban", token: 4 }).tokens[1], NOTHING);
  const longer = canvasAfter(canvas, { do: "stretch", at: 1, by: 2 });
  assert.deepEqual([...longer.ids], [0, 3, 4, 1, 2]);
  assert.deepEqual([...canvasAfter(longer, { do: "stretch", at: 1, by: -2 }).ids], [0, 1, 2]);
});

test("a canvas is written as it is read", () => {
  const row = { tokens: [3, -1, 7, 8, 2], kinds: "gopwy", ids: [0, 1, 5, 2, 3] };
  assert.deepEqual(rowOfCanvas(canvasOf(row)), row);
});
