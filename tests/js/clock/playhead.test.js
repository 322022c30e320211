// Two sides on one clock: where the head stands, what it shows, and at which pace a run goes on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Driver } from "../../../assets/stage/driver.js";
import { SPEEDS, advanced, end, neighbour, onAxis, shown, stretch, times } from "../../../assets/clock/playhead.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened, stepped } from "../runs.js";

/**
 * @param {string} session
 * @param {number} passes
 * @param {number} ms
 * @returns {import("../../../assets/wire/store.js").Side}
 */
function side(session, passes, ms) {
  let stage = reduce({ sides: [emptySide()] }, { ...opened(), session });
  for (let at = 1; at <= passes; at++) stage = reduce(stage, { ...stepped(at, [], []), session, ms: [ms, 0, ms * at] });
  return /** @type {import("../../../assets/wire/store.js").Side} */ (stage.sides[0]);
}

/** @type {import("../../../assets/clock/playhead.js").Playhead} */
const HEAD = { axis: "clock", at: 0, playing: true, following: false };
const sides = [side("a", 3, 10), side("b", 6, 4)];
/** @param {string} name */
const speed = (name) =>
  /** @type {import("../../../assets/clock/playhead.js").Speed} */ (SPEEDS.find((s) => s.name === name));

test("each side shows its last moment that is not later than the head", () => {
  assert.deepEqual(
    sides.map((l) => shown(l, { ...HEAD, at: 21 })),
    [2, 5],
  );
  assert.deepEqual(
    sides.map((l) => shown(l, { ...HEAD, axis: "pass", at: 4 })),
    [3, 4],
  );
});

test("an edit takes no time and still has a place of its own", () => {
  const edit = { did: "edited", session: "a", n: 9, at: 4, edit: { do: "pin" }, canvas: opened().canvas };
  const edited = reduce({ sides: [side("a", 3, 10)] }, edit).sides[0];
  assert.ok(edited);
  const row = times(edited, "clock");
  assert.ok((row[4] ?? 0) > (row[3] ?? 0));
});

test("slow motion stretches device time, passes go by the second", () => {
  assert.equal(advanced(HEAD, speed("5 × slower"), 50, sides).at, 10);
  assert.equal(advanced({ ...HEAD, axis: "pass" }, speed("look by look"), 500, sides).at, 2);
});

test("at the end of what is known a live run is followed, a finished one rests", () => {
  const waits = advanced({ ...HEAD, at: 29 }, speed("real time"), 100, sides);
  assert.deepEqual([waits.following, waits.playing], [true, true]);
  const over = sides.map((l) => ({ ...l, done: true }));
  assert.deepEqual(advanced({ ...HEAD, at: 29 }, speed("real time"), 100, over), { ...HEAD, at: 30, playing: false });
});

test("one pass back goes back in the side that is looked at", () => {
  const tip = { ...HEAD, at: end(sides, "clock") };
  assert.equal(neighbour(sides, tip, -1, 0), 20);
  assert.equal(neighbour(sides, tip, -1, 1), 20);
  assert.equal(neighbour(sides, { ...HEAD, at: 0 }, 1, 1), 4);
  assert.equal(neighbour(sides, { ...HEAD, at: 24 }, 1, 1), 30); // that side is over: the other's next
});

test("another axis keeps the place", () => {
  const there = onAxis({ ...HEAD, at: 20 }, sides, "pass");
  assert.deepEqual([there.axis, there.at], ["pass", 5]);
});

test("a comfortable speed shows about six passes a second, and a short run is stretched", () => {
  const six = speed("comfortable, 6 looks a second");
  assert.ok(Math.abs(stretch(six, [side("a", 40, 10)]) - 1000 / 6 / 10) < 0.01);
  assert.ok(Math.abs(stretch(six, [{ ...side("a", 2, 10), done: true }]) - 100) < 0.01); // two passes in two seconds
  assert.equal(stretch(six, [side("a", 40, 400)]), 1); // a slow model is never made faster
  assert.equal(stretch(speed("real time"), sides), 1);
});

test("a message is sent once, and again when it differs", () => {
  /** @type {string[]} */
  const sent = [];
  const driver = new Driver((l, message) =>
    sent.push(`${l.session} ${message.do} ${message.slow ?? message.pace ?? ""}`.trim()),
  );
  const [one] = sides;
  assert.ok(one);
  driver.update([one], false, speed("real time")); // nothing was begun: nothing to pause
  driver.update([one], true, speed("as it comes"));
  driver.update([one], true, speed("as it comes"));
  driver.update([one], true, speed("20 × slower"));
  driver.update([one], true, speed("look by look"));
  driver.update([one], false, speed("look by look"));
  driver.update([{ ...one, done: true }], true, speed("as it comes"));
  assert.deepEqual(sent, ["a play", "a play 20", "a play 0.25", "a pause"]);
});
