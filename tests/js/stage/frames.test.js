// Drawings follow what they have read: once a frame, and no others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Frames } from "../../../assets/stage/frames.js";
import { reactive } from "../../../assets/wire/reactive.js";

/** @type {(() => void)[]} */
let due = [];
let reported = 0;
globalThis.requestAnimationFrame = (run) => due.push(() => run(performance.now()));
globalThis.cancelAnimationFrame = () => {};
globalThis.reportError = () => reported++;

function frame() {
  const now = due;
  due = [];
  for (const run of now) run();
}

test("a drawing is repeated once a frame, when something changed that it has read", () => {
  const state = reactive({ seen: 1, unseen: 1 });
  const frames = new Frames(() => false);
  /** @type {number[]} */
  const drawn = [];
  const stop = frames.add(() => void drawn.push(state.seen));
  assert.deepEqual(drawn, []);
  frame();
  state.unseen = 2;
  assert.equal(due.length, 0);
  state.seen = 2;
  state.seen = 3;
  assert.equal(due.length, 1);
  frame();
  frame();
  assert.deepEqual(drawn, [1, 3]);
  frames.redraw();
  frames.now();
  assert.deepEqual(drawn, [1, 3, 3]);
  stop();
  state.seen = 4;
  frame();
  assert.equal(drawn.length, 3);
});

test("what plays asks for another frame, and a drawing that fails keeps the others", () => {
  let left = 3;
  const state = reactive({ n: 0 });
  const frames = new Frames(() => {
    if (left > 0) state.n++;
    return --left > 0;
  });
  /** @type {number[]} */
  const drawn = [];
  frames.add(() => {
    if (state.n === 2) throw new Error("it fails once");
  });
  frames.add(() => void drawn.push(state.n));
  while (due.length) frame();
  assert.deepEqual(drawn, [1, 2, 3]);
  assert.equal(reported, 1);
});
