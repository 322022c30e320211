// What a key means: on the page it moves time, on a cell it moves the cell.
import assert from "node:assert/strict";
import { test } from "node:test";
import { actionOf, beside } from "../../../assets/stage/keyboard.js";

test("keys on the page move time, keys on a cell move the cell", () => {
  assert.deepEqual(actionOf({ key: " " }, null), { do: "toggle" });
  assert.deepEqual(actionOf({ key: "ArrowLeft" }, null), { do: "back" });
  const place = { cell: 7, length: 20, rows: [0, 5, 10, 15] };
  assert.deepEqual(actionOf({ key: "ArrowDown", shiftKey: true }, place), { do: "move", to: 12, extend: true });
  assert.deepEqual(actionOf({ key: "r" }, place), { do: "type", text: "r" });
  assert.deepEqual(actionOf({ key: "Enter" }, place), { do: "inspect" });
  assert.equal(actionOf({ key: "r", ctrlKey: true }, place), null);
  assert.equal(actionOf({ key: "Tab" }, place), null);
  assert.equal(beside(4, [0, 5, 8], 10, 1), 7); // a short row ends before
  assert.equal(beside(9, [0, 5, 8], 10, 1), 9);
});
