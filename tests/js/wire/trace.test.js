// Trace files that a person brings: read whole, or refused in a sentence before anything is shown.
import assert from "node:assert/strict";
import { test } from "node:test";
import { staged } from "../../../assets/wire/recordings.js";
import { emptySide } from "../../../assets/wire/store.js";
import { traceOf } from "../../../assets/wire/trace.js";
import { opened, packed, stepped } from "../runs.js";

/**
 * @param {Record<string, any>} [head]
 * @param {...any} rows
 */
function file(head = {}, ...rows) {
  const { canvas, pieces, head: own } = opened(4);
  const first = { unmask: 1, head: { ...own, ...ENOUGH, ...head }, canvas, pieces };
  return [first, ...rows.map(whole)].map((row) => JSON.stringify(row)).join("\n");
}

const ENOUGH = { settings: {}, words: 10 }; // what a file says and a test of the stage has no use for

/** @param {Record<string, any>} row */
function whole(row) {
  const none = { e: packed(Array(5).fill(0), 1), m: packed(Array(5).fill(0), 1) };
  return { ...none, ti: packed(Array(25).fill(1)), tp: packed(Array(25).fill(0), 1), ...row };
}

test("a trace is a head and its events; anything else is refused in a sentence", () => {
  const [first, second] = traceOf(file({}, stepped(1, [1], [2])))[0] ?? [];
  assert.equal(first?.did, "opened");
  assert.equal(second?.at, 1);
  assert.throws(() => traceOf("{"), /not a trace/);
  assert.throws(() => traceOf('{"other":1}'), /not a trace/);
  assert.throws(() => traceOf('{"unmask":6}'), /newer version/);
  assert.throws(() => traceOf("x".repeat(2 ** 26 + 1)), /too large/);
});

test("a damaged line is named", () => {
  const bad = [
    stepped(1, [9], [2]), // a cell that is not there
    stepped(1, [1], []),
    { ...stepped(1, [1], [2]), g: packed([1, 2]) },
    { ...stepped(1, [1], [2]), why: null },
    { did: "edited", at: 1, edit: { do: "pin", cells: [1] } },
    { did: "edited", at: 1, edit: { do: "stretch", at: 0, by: -99 } },
    { did: "edited", at: 1, edit: { do: "jump" } },
  ];
  for (const row of bad) assert.throws(() => traceOf(file({}, row)), /^Error: Line 2 of this trace is damaged: .*\.$/);
  assert.throws(() => traceOf(`${file()}\n{"did":`), /Line 2 of this trace is damaged: it is cut off/);
});

test("a file goes to the side of its kind, beside a recording of the same prompt alone", () => {
  const none = [emptySide(), emptySide()];
  const { sides, files } = staged([file({ prompt: "a", causal: true }, stepped(1, [1], [2]))], none);
  assert.deepEqual(
    sides.map((side) => [side.source, side.moments.length]),
    [
      ["empty", 0],
      ["replay", 2],
    ],
  );
  assert.equal(files.size, 1);
  const both = staged([file({ prompt: "a" })], sides).sides;
  assert.deepEqual(
    both.map((side) => side.source),
    ["replay", "replay"],
  );
  assert.equal(staged([file({ prompt: "b" })], sides).sides[1]?.source, "empty");
  assert.equal(staged([file(), file()], none).sides[1]?.source, "replay"); // two of a kind stand side by side
  assert.throws(() => staged([file(), "damaged"], none), /not a trace/);
});

test("a file of version 2 tells of every branch, and of the one that was being written last", () => {
  const { canvas, pieces, head: own } = opened(4);
  const head = { ...own, ...ENOUGH };
  const run = { head, canvas, pieces, heads: { 1: 2, 2: 3, 3: 4 }, on: "2" };
  const rows = [
    stepped(1, [1], [2]),
    stepped(2, [2], [2], { open: 2 }),
    { ...stepped(2, [3], [3], { open: 2 }), after: 1, n: 4 },
    { ...stepped(1, [4], [3]), after: 0, n: 5 },
  ].map(whole);
  const text = [{ unmask: 2, runs: [run] }, ...rows].map((row) => JSON.stringify(row)).join("\n");
  const [side] = staged([text], [emptySide(), emptySide()]).sides;
  assert.deepEqual(
    [side?.branch, side?.moments.length, [...(side?.branches.keys() ?? [])].sort()],
    ["2", 3, ["1", "3"]],
  );
  assert.deepEqual([...(side?.moments[2]?.fresh ?? [])], [3]);
  assert.deepEqual([side?.branches.get("1")?.length, side?.branches.get("3")?.length], [3, 2]);
});

test("both sides of a comparison come from one file", () => {
  const { canvas, pieces, head } = opened(4);
  const runs = [false, true].map((causal) => ({
    head: { ...head, ...ENOUGH, causal },
    canvas,
    pieces,
    heads: { 1: 1 },
    on: "1",
  }));
  const rows = [stepped(1, [1], [2]), { ...stepped(1, [1], [2]), run: 1 }].map(whole);
  const text = [{ unmask: 2, runs: [runs[0], { ...runs[1] }] }, ...rows].map((row) => JSON.stringify(row)).join("\n");
  const { sides } = staged([text], [emptySide(), emptySide()]);
  assert.deepEqual(
    sides.map((side) => side.moments.length),
    [2, 2],
  );
});
