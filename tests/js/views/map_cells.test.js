// The map of a run: a colour for what each place held in each look, and only the places that hold the text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { mapRow, mapRows, reads, rowName, span } from "../../../assets/views/map_cells.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened, stepped } from "../runs.js";

/** @param {...any} events */
function side(...events) {
  return events.reduce(reduce, { sides: [emptySide()] }).sides[0];
}

test("a place is open, written in this look, stands, or was replaced", () => {
  const run = side(
    opened(),
    stepped(1, [1], [2]),
    stepped(2, [1, 2], [3, 3], { was: [2, -1] }),
    stepped(3, [3, 4], [3, 4], { why: [["read from left to right: it stays", [1], []]] }),
  );
  const rows = [1, 2, 3].map((at) => mapRow(run, at, "confidence"));
  assert.deepEqual(
    rows.map((row) => row.map((name) => name.split("-")[0])),
    [
      ["", "ink", "heat", "heat", "heat"],
      ["", "doubt", "ink", "heat", "heat"],
      ["", "soft", "soft", "ink", "ink"],
    ],
  );
  assert.deepEqual(
    [1, 2, 3].map((at) => [rowName(run, at), reads(run, at)]),
    [
      ["1", false],
      ["2", false],
      ["3", true],
    ],
  );
  assert.equal(mapRow(run, 3, "order").at(-1), "heat-6");
  assert.ok(mapRow(run, 1, "entropy").every((name) => !name.startsWith("heat"))); // nothing of it was sent
});

test("a word that is taken back is marked in the look that took it", () => {
  const run = side(opened(), stepped(1, [1, 2], [2, 3]), stepped(2, [], [], { x: [2] }));
  assert.equal(mapRow(run, 2, "confidence")[2], "doubt");
});

test("the map begins with the first look and leaves out the prompt in front", () => {
  const run = side(opened(), stepped(1, [1], [2]), stepped(2, [2], [3]));
  assert.deepEqual(span(run), { top: 1, rows: 2, from: 1, cells: 4 });
  const rows = mapRows(run, "confidence");
  assert.deepEqual([rows.length, rows[0]?.length], [2, 4]);
  assert.deepEqual(span(emptySide()), { top: 0, rows: 1, from: 0, cells: 0 });
});
