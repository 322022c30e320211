// From a button to the edit it means, and from an edit to a sentence.
import assert from "node:assert/strict";
import { test } from "node:test";
import { doneOf, messageOf, opensCells } from "../../../assets/steer/edits.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened, stepped } from "../runs.js";

/** @param {...any} events */
function side(...events) {
  return events.reduce(reduce, { sides: [emptySide()] }).sides[0];
}

test("buttons mean edits of what stands in the selected cells", () => {
  const run = side(opened(), stepped(1, [1], [3]));
  const moment = run.moments[1];
  assert.deepEqual(messageOf("pin", moment, [1, 2], ""), { do: "pin", cells: [1, 2], tokens: [3, 2] });
  assert.deepEqual(messageOf("pin", moment, [2], "rain"), { do: "pin", at: 2, text: "rain" });
  assert.deepEqual(messageOf("ban", moment, [1], ""), { do: "ban", token: 3 });
  assert.deepEqual(messageOf("insert", moment, [2], ""), { do: "stretch", at: 2, by: 1 });
  assert.deepEqual(messageOf("insert", moment, [2, 3, 4], ""), { do: "stretch", at: 2, by: 3 });
  assert.deepEqual(messageOf("remove", moment, [2, 3], ""), { do: "stretch", at: 2, by: -2 });
  assert.equal(typeof messageOf("pin", run.moments[0], [2], ""), "string");
  assert.equal(typeof messageOf("erase", moment, [], ""), "string");
});

test("what became of an edit is a sentence", () => {
  const say = (/** @type {number[]} */ ...tokens) => tokens.map((token) => `w${token}`).join("");
  assert.equal(doneOf({ do: "pin", cells: [4, 5], tokens: [1, 2] }, say), "Pinned “w1w2” in cells 4 to 5.");
  assert.equal(doneOf({ do: "ban", token: 3 }, say), "“w3” is banned from now on.");
  assert.equal(doneOf({ do: "stretch", at: 4, by: -2 }, say), "Took out 2 cells at cell 4.");
  assert.equal(doneOf({ do: "tune", changes: {} }, say), "");
});

test("an inserted place is empty until somebody writes, and the sentence says so", () => {
  assert.equal(doneOf({ do: "stretch", at: 4, by: 1 }, String), "Opened an empty place before cell 4.");
  assert.equal(doneOf({ do: "stretch", at: 4, by: 3 }, String), "Opened 3 empty places before cell 4.");
  const opening = [
    { do: "erase", cells: [4] },
    { do: "stretch", at: 4, by: 1 },
    { do: "stretch", at: 4, by: -1 },
  ];
  assert.deepEqual(opening.map(opensCells), [true, true, false]);
  assert.ok(!opensCells({ do: "stretch", at: 4, by: 1, own: true }), "the model fills what it asked for");
});
