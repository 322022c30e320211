// When a person rests on a word: a pointer that stays, the keyboard, a finger that holds.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { HOLD, REST, Resting } from "../../../assets/stage/resting.js";

mock.timers.enable({ apis: ["setTimeout"] });
const pointer = (/** @type {string} */ pointerType) => /** @type {any} */ ({ pointerType });

function rested() {
  /** @type {string[]} */
  const log = [];
  return {
    log,
    resting: new Resting(
      (/** @type {string} */ word) => log.push(word),
      () => log.push("end"),
    ),
  };
}

test("a mouse that only passes asks for nothing", () => {
  const { log, resting } = rested();
  resting.enter(pointer("mouse"), "blue");
  mock.timers.tick(REST - 1);
  resting.leave();
  mock.timers.tick(1000);
  assert.deepEqual(log, ["end"]);
  resting.enter(pointer("mouse"), "brown");
  mock.timers.tick(REST);
  assert.deepEqual(log, ["end", "brown"]);
  assert.equal(resting.chooses, true);
});

test("a finger that holds sees, and its lifting chooses nothing; one that taps chooses", () => {
  const { log, resting } = rested();
  const touch = pointer("touch");
  resting.enter(touch, "blue");
  resting.press(touch, "blue");
  mock.timers.tick(HOLD);
  assert.deepEqual(log, ["blue"]);
  resting.release(touch);
  assert.deepEqual(log, ["blue", "end"]);
  assert.equal(resting.chooses, false);
  resting.press(touch, "blue");
  mock.timers.tick(HOLD / 2);
  resting.release(touch);
  mock.timers.tick(HOLD);
  assert.deepEqual(log, ["blue", "end", "end"]);
  assert.equal(resting.chooses, true);
});

test("a hold whose click never came does not swallow the next tap", () => {
  const { resting } = rested();
  const touch = pointer("touch");
  resting.press(touch, "blue");
  mock.timers.tick(HOLD);
  resting.release(touch);
  resting.press(touch, "blue");
  assert.equal(resting.chooses, true);
});
