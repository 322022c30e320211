// Two lanes on one clock: where the head stands, what it shows, and how a run is asked to go on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Driver } from "../../assets/driver.js";
import { SPEEDS, advanced, end, neighbour, onAxis, shown, times } from "../../assets/playhead.js";
import { emptyLane, reduce } from "../../assets/store.js";
import { opened, stepped } from "./runs.js";

/**
 * @param {string} session
 * @param {number} passes
 * @param {number} ms
 * @returns {import("../../assets/store.js").Lane}
 */
function lane(session, passes, ms) {
  let stage = reduce({ lanes: [emptyLane()] }, { ...opened(), session });
  for (let at = 1; at <= passes; at++) stage = reduce(stage, { ...stepped(at, [], []), session, ms: [ms, 0, ms * at] });
  return /** @type {import("../../assets/store.js").Lane} */ (stage.lanes[0]);
}

/** @type {import("../../assets/playhead.js").Playhead} */
const HEAD = { axis: "clock", at: 0, playing: true, following: false };
const lanes = [lane("a", 3, 10), lane("b", 6, 4)];
/** @param {string} name */
const speed = (name) => /** @type {import("../../assets/playhead.js").Speed} */ (SPEEDS.find((s) => s.name === name));

test("each lane shows its last moment that is not later than the head", () => {
  assert.deepEqual(
    lanes.map((l) => shown(l, { ...HEAD, at: 21 })),
    [2, 5],
  );
  assert.deepEqual(
    lanes.map((l) => shown(l, { ...HEAD, axis: "pass", at: 4 })),
    [3, 4],
  );
});

test("an edit takes no time and still has a place of its own", () => {
  const edit = { did: "edited", session: "a", n: 9, at: 4, edit: { do: "pin" }, canvas: opened().canvas };
  const edited = reduce({ lanes: [lane("a", 3, 10)] }, edit).lanes[0];
  assert.ok(edited);
  const row = times(edited, "clock");
  assert.ok((row[4] ?? 0) > (row[3] ?? 0));
});

test("slow motion stretches device time, passes go by the second", () => {
  assert.equal(advanced(HEAD, speed("5 × slower"), 50, lanes).at, 10);
  assert.equal(advanced({ ...HEAD, axis: "pass" }, speed("pass by pass"), 500, lanes).at, 2);
});

test("at the end of what is known a live run is followed, a finished one rests", () => {
  const waits = advanced({ ...HEAD, at: 29 }, speed("real time"), 100, lanes);
  assert.deepEqual([waits.following, waits.playing], [true, true]);
  const over = lanes.map((l) => ({ ...l, done: true }));
  assert.deepEqual(advanced({ ...HEAD, at: 29 }, speed("real time"), 100, over), { ...HEAD, at: 30, playing: false });
});

test("one pass back goes back in the lane that is looked at", () => {
  const tip = { ...HEAD, at: end(lanes, "clock") };
  assert.equal(neighbour(lanes, tip, -1, 0), 20);
  assert.equal(neighbour(lanes, tip, -1, 1), 20);
  assert.equal(neighbour(lanes, { ...HEAD, at: 0 }, 1, 1), 4);
  assert.equal(neighbour(lanes, { ...HEAD, at: 24 }, 1, 1), 30); // that lane is over: the other's next
});

test("another axis keeps the place", () => {
  const there = onAxis({ ...HEAD, at: 20 }, lanes, "pass");
  assert.deepEqual([there.axis, there.at], ["pass", 5]);
});

test("seeking a thousand cells through a thousand passes takes no time to speak of", () => {
  const long = lane("a", 1000, 3);
  const began = performance.now();
  for (let i = 0; i < 100; i++) shown(long, { ...HEAD, at: i * 30 });
  assert.ok(performance.now() - began < 20);
});

test("a wish is said once, and again when it differs", () => {
  /** @type {string[]} */
  const said = [];
  const driver = new Driver((l, message) =>
    said.push(`${l.session} ${message.do} ${message.slow ?? message.pace ?? ""}`.trim()),
  );
  const [one] = lanes;
  assert.ok(one);
  driver.wish([one], false, speed("real time")); // nothing was begun: nothing to pause
  driver.wish([one], true, speed("as it comes"));
  driver.wish([one], true, speed("as it comes"));
  driver.wish([one], true, speed("20 × slower"));
  driver.wish([one], true, speed("pass by pass"));
  driver.wish([one], false, speed("pass by pass"));
  driver.wish([{ ...one, done: true }], true, speed("as it comes"));
  assert.deepEqual(said, ["a play", "a play 20", "a play 0.25", "a pause"]);
});
