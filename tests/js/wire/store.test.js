// The reducer: from events to a timeline that is never changed in place.
import assert from "node:assert/strict";
import { test } from "node:test";
import { textEnd } from "../../../assets/wire/timeline.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { NOTHING, OPEN, PINNED, WRITTEN } from "../../../assets/wire/canvas.js";
import { opened, packed, stepped } from "../runs.js";

/** @param {...any} events */
function staged(...events) {
  return events.reduce(reduce, { sides: [emptySide(), emptySide()] });
}

/** @param {...any} events */
function side(...events) {
  return staged(...events).sides[0];
}

test("a run is opened in the side that it names", () => {
  const stage = staged(opened(), { ...opened(), session: "t", side: 1 });
  assert.deepEqual(
    stage.sides.map((/** @type {any} */ l) => [l.session, l.source, l.moments.length]),
    [
      ["s", "live", 1],
      ["t", "live", 1],
    ],
  );
  assert.equal(stage.sides[0].keys.own, "o");
});

test("a pass writes cells, remembers when and how surely, and leaves the moment before alone", () => {
  const run = side(opened(), stepped(1, [1, 3], [2, 3]));
  const [before, after] = run.moments;
  assert.deepEqual([...after.tokens], [1, 2, NOTHING, 3, NOTHING]);
  assert.deepEqual([...before.tokens], [1, NOTHING, NOTHING, NOTHING, NOTHING]);
  assert.deepEqual([after.since[1], after.confidence[1], after.clock, after.passes], [1, 0.75, 4, 1]);
  assert.equal(after.guess[0], NOTHING);
  assert.equal(after.sure[1], 204);
});

test("ghosts that are not sent again stay as they were", () => {
  const run = side(opened(), stepped(1, [1], [2]), stepped(2, [2], [2], { g: undefined, s: undefined }));
  assert.equal(run.moments[2].guess, run.moments[1].guess);
});

test("a rewrite and a word taken back each count as a change of mind", () => {
  const run = side(opened(), stepped(1, [1, 2], [2, 2]), stepped(2, [1], [3], { was: [2], x: [2] }));
  assert.deepEqual([...run.moments[2].changes], [0, 1, 1, 0, 0]);
  assert.equal(run.moments[2].kinds[2], OPEN);
});

test("noise shows in open cells of a model without a mask", () => {
  const run = side(opened(), stepped(1, [1], [2], { noise: packed([1, 2, 5, 5, 5]) }));
  assert.deepEqual([...run.moments[1].tokens], [1, 2, 5, 5, 5]);
  assert.equal(run.moments[1].kinds[2], OPEN);
});

test("an edit shows what a person did, and what is known of a cell follows its name", () => {
  const edit = { did: "edited", session: "s", n: 3, at: 2, edit: { do: "stretch" }, settings: {} };
  const canvas = { tokens: [1, -1, 2, 8, -1, -1], kinds: "gowpoo", ids: [0, 9, 1, 2, 3, 4] };
  const { moments } = side(opened(), stepped(1, [1], [2]), { ...edit, canvas });
  assert.deepEqual([moments[2].kind, moments[2].since[2], moments[2].since[3]], ["edit", 1, 2]);
  assert.deepEqual([moments[2].kinds[3], moments[2].fresh], [PINNED, [3]]);
  assert.equal(moments[2].clock, 4);
});

test("what a person erased is marked until it is written again", () => {
  const canvas = { tokens: [1, -1, -1, -1, -1], kinds: "goooo" };
  const edit = { did: "edited", session: "s", n: 3, at: 2, edit: { do: "erase", cells: [1] }, canvas, settings: {} };
  const run = side(opened(), stepped(1, [1], [2]), edit, stepped(3, [1], [3], { n: 4 }));
  assert.deepEqual([run.moments[2].erased[1], run.moments[3].erased[1]], [1, 0]);
});

test("an undone edit shortens the timeline", () => {
  const pin = { tokens: [1, 8, -1, -1, -1], kinds: "gpooo" };
  const edit = { did: "edited", session: "s", n: 2, at: 1, edit: { do: "pin" }, canvas: pin, settings: {} };
  const back = { did: "snapshot", session: "s", n: 3, at: 0, length: 1, playing: false, canvas: opened().canvas };
  assert.equal(side(opened(), edit, back).moments.length, 1);
});

test("a branch keeps the moments before it, and the one that was left stays as it is", () => {
  const passes = [stepped(1, [1], [2]), stepped(2, [2], [2])];
  const fork = { did: "branched", session: "s", n: 4, head: "2", left: "1", at: 1, heads: { 1: 2, 2: 1 } };
  const run = side(opened(), ...passes, fork);
  assert.deepEqual([run.branch, run.moments.length, run.branches.get("1").length], ["2", 2, 3]);
  const more = side(opened(), ...passes, fork, { ...stepped(2, [3], [3]), n: 5 });
  assert.deepEqual([...more.moments[2].fresh], [3]);
  const back = { did: "branched", session: "s", n: 6, head: "1", left: "2", at: 1, heads: { 1: 2, 2: 2 } };
  const home = side(opened(), ...passes, fork, { ...stepped(2, [3], [3]), n: 5 }, back);
  assert.deepEqual([home.branch, home.moments.length, home.branches.get("2").length], ["1", 3, 3]);
  assert.deepEqual([...home.moments[2].fresh], [2]);
});

test("branches are renamed and dropped", () => {
  const fork = { did: "branched", session: "s", n: 3, head: "2", left: "1", at: 0, heads: { 1: 1, 2: 0 } };
  const name = { did: "branched", session: "s", n: 4, head: "2", left: "", at: 0, heads: { red: 1, 2: 0 } };
  const drop = { did: "branched", session: "s", n: 5, head: "2", left: "", at: 0, heads: { 2: 0 } };
  const run = side(opened(), stepped(1, [1], [2]), fork, name);
  assert.deepEqual([[...run.branches.keys()], run.branches.get("red").length], [["red"], 2]);
  assert.equal(side(opened(), stepped(1, [1], [2]), fork, name, drop).branches.size, 0);
});

test("what was received before is not taken twice, and what was missed is a gap", () => {
  const once = side(opened(), stepped(1, [1], [2]));
  assert.equal(side(opened(), stepped(1, [1], [2]), stepped(1, [1], [2])).moments.length, once.moments.length);
  const canvas = { tokens: [1, 2, 2, 3, -1], kinds: "gwwwo" };
  const late = side(opened(), stepped(1, [1], [2]), {
    did: "snapshot",
    session: "s",
    n: 9,
    at: 5,
    length: 6,
    playing: true,
    canvas,
  });
  assert.deepEqual(
    late.moments.map((/** @type {any} */ m) => m.kind),
    ["start", "pass", "gap", "gap", "gap", "gap"],
  );
  assert.equal(late.moments[5].kinds[3], WRITTEN);
});

test("a failure, a queue and an end are shown", () => {
  assert.deepEqual(side(opened(), { did: "waiting", session: "s", n: 2, place: 2, seconds: 3 }).waiting, {
    place: 2,
    seconds: 3,
  });
  assert.equal(
    side(opened(), { did: "done", session: "s", n: 2, at: 0, failed: "the model failed" }).failed,
    "the model failed",
  );
  assert.equal(side(opened(), { did: "beat" }).n, 1);
});

test("the text ends after the first end that stands, not after one in the prompt", () => {
  const run = side(opened(), stepped(1, [2], [9]));
  assert.equal(textEnd(run.moments[1], [9]), 3);
  assert.equal(textEnd(run.moments[0], [9]), 5);
});
