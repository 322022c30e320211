// Where the head stands, in passes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { passesAt } from "../../../assets/stage/transport.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened, stepped } from "../runs.js";

test("an edit has a place among the passes and is none", () => {
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
  assert.deepEqual(
    [0, 1, 2, 3, 9].map((at) => passesAt([side, emptySide()], at)),
    [0, 1, 2, 2, 2],
  );
  assert.equal(passesAt([emptySide()], 0), 0);
});
