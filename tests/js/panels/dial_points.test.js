// The dial: from careful to bold by what was measured, and nothing that is worse in both figures than another.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { dialPoints } from "../../../assets/panels/dial_points.js";

const { decoders } = JSON.parse(readFileSync(new URL("../../../assets/models/decoders.json", import.meta.url), "utf8"));
const recorded = points(...Object.entries(decoders).map(([name, row]) => [name, row.looks, row.right, row.prompts]));

/** @param {any[][]} rows name, looks, texts without an error, and texts */
function points(...rows) {
  return rows.map(([name, looks, right, prompts = 24]) => ({ name, plain: name, looks, right, prompts, share: right / prompts, low: 0, high: 1 })); // prettier-ignore
}

test("the decoders that ship stand in their measured order", () => {
  // bold took 10.2 looks for 15 right texts, where proofread took 7.9 for 23
  const dial = dialPoints(recorded).map(([, name]) => recorded.find((point) => point.name === name));
  assert.ok(dial.length >= 2 && dial.length <= 4);
  for (const [i, point] of dial.slice(1).entries()) {
    assert.ok(point && dial[i] && point.looks < dial[i].looks && point.share < dial[i].share, point?.name);
  }
  for (const point of dial)
    for (const other of recorded)
      assert.ok(
        !(other.looks < (point?.looks ?? 0) && other.share > (point?.share ?? 0)),
        `${point?.name}: ${other.name}`,
      );
});

test("who is worse in both has no place, and who is alone is no scale", () => {
  const old = points(["llada", 64.7, 20], ["fast-dllm", 14.2, 20], ["proofread", 7.9, 23], ["speed", 10.2, 15]);
  assert.deepEqual(dialPoints(old), []);
  const three = points(["a", 9, 23], ["b", 20, 22], ["c", 5, 12], ["d", 30, 24], ["e", 9, 20]);
  assert.deepEqual(dialPoints(three), [["careful", "d"], ["weighed", "a"], ["bold", "c"]]); // prettier-ignore
});

test("of many those stay that differ most", () => {
  const many = points(["a", 1, 2], ["b", 2, 10], ["c", 3, 11], ["d", 4, 20], ["e", 5, 21], ["f", 6, 24]);
  assert.deepEqual(
    dialPoints(many).map(([, name]) => name),
    ["f", "d", "b", "a"],
  );
});
