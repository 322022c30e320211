// Sides on another machine's clock: its times, what stays as it was measured, and the words about it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { crossing, pointOf, toCsv } from "../../../assets/clock/crossing.js";
import { worksOf } from "../../../assets/clock/fed_tokens.js";
import { ChosenClock, FIRST_CHOICE, ModelledClock, machineOf, sizeInWords } from "../../../assets/clock/machine.js";
import { passSeconds } from "../../../assets/clock/pass_time.js";
import { modelledSentence, shortSentence } from "../../../assets/clock/sentence.js";
import { StageDocument } from "../../../assets/stage/document.js";
import { Player } from "../../../assets/stage/player.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened, stepped } from "../runs.js";

/**
 * @param {string} session
 * @param {number} passes
 * @param {Record<string, any>} head
 */
function side(session, passes, head = {}) {
  const about = opened(4, {
    model: { name: "toy", parameters: 7_600_640, ...head },
    settings: { policy: "threshold" },
  });
  let stage = reduce({ sides: [emptySide()] }, { ...about, session });
  for (let at = 1; at <= passes; at++)
    stage = reduce(stage, { ...stepped(at, at < 5 ? [at] : [], at < 5 ? [1] : []), session, ms: [40, 2, 42 * at] });
  return /** @type {import("../../../assets/wire/store.js").Side} */ (stage.sides[0]);
}

/** @param {Partial<import("../../../assets/clock/machine.js").Choice>} [changes] */
function machine(changes = {}) {
  return /** @type {import("../../../assets/clock/machine.js").Machine} */ (
    machineOf({ ...FIRST_CHOICE, ...changes }, side("x", 0))
  );
}

test("a side on another clock has the formula's times, and the side itself stays as measured", () => {
  const measured = side("a", 4);
  const clock = new ModelledClock(machine());
  const timed = clock.side(measured);
  assert.equal(clock.side(measured), timed);
  let sum = 0;
  worksOf(measured).forEach((work, at) => {
    if (work) sum += 1000 * passSeconds(clock.machine, work);
    assert.equal(timed.moments[at]?.clock, sum);
    assert.equal(measured.moments[at]?.clock, 42 * at);
  });
  assert.ok(sum > 0);
});

test("a pass that comes later keeps the moments that were timed already", () => {
  const clock = new ModelledClock(machine());
  const one = side("a", 2);
  const early = clock.side(one);
  const more = reduce({ sides: [one] }, { ...stepped(3, [3], [1]), session: "a", ms: [40, 2, 126] }).sides[0];
  const late = clock.side(/** @type {any} */ (more));
  assert.equal(late.moments[2], early.moments[2]);
  assert.equal(late.moments.length, 4);
});

test("the head stays at what it showed when the clock is turned, and plays at that clock's pace", () => {
  const shown = new StageDocument();
  const nothing = () => {};
  const company = { looked: () => 0, catchingUp: () => false, touched: () => true };
  const player = new Player(shown, { ...company, begin: nothing, pausing: nothing, step: nothing });
  shown.put([side("a", 4), side("b", 4, { causal: true })]);
  player.move({ at: 42 * 2 });
  assert.equal(player.at(0), 2);
  player.turnClock({}, true);
  assert.equal(player.at(0), 2);
  assert.equal(player.head.at, player.timedSide(0).moments[2]?.clock);
  player.turnClock({ chip: "l4" });
  assert.equal(player.at(0), 2);
  const slow = player.timedSide(0).moments[2]?.clock ?? 0;
  player.turnClock({ chip: "b200" });
  assert.ok((player.timedSide(0).moments[2]?.clock ?? 0) < slow / 5);
  player.turnClock({}, false);
  assert.equal(player.head.at, 84);
  player.move({ at: 42 * 4 }); // the end of both, which stays the end of the later one
  player.turnClock({}, true);
  assert.deepEqual([player.at(0), player.at(1)], [4, 4]);
});

test("a number of one's own that is missing makes no clock", () => {
  const chosen = new ChosenClock();
  const run = side("a", 1);
  assert.ok(chosen.of(run));
  chosen.choose({ chip: "own", bandwidth: 0 });
  assert.equal(chosen.of(run), null);
  chosen.choose({ bandwidth: 1 });
  assert.equal(chosen.of(run)?.machine.chip.bandwidth, 1e12);
  chosen.choose({ size: "pair" });
  assert.equal(chosen.of(run)?.machine.size.parameters, 7_600_640);
  assert.deepEqual(sizeInWords(/** @type {any} */ (chosen.of(run)).machine.size), ["7.6", "million", ""]);
});

test("the words about it are those of the issue's case, and unequal work is not compared", () => {
  const run = { works: Array(11).fill({ forwards: 1, tokens: 112, cached: 0 }), tokens: 72 };
  const twin = { works: Array(72).fill({ forwards: 1, tokens: 1, cached: 0 }), tokens: 72 };
  assert.equal(
    modelledSentence(machine(), run, twin),
    "On one H100 SXM, a model of 8 billion would look at the whole text 11 times while the other writes 11 tokens: 6.5 × faster (modelled).",
  );
  const names = /** @type {[string, string]} */ (["Diffusion", "one word at a time"]);
  assert.equal(shortSentence(machine(), run, twin, names), "Modelled on one H100 SXM, Diffusion is 6.5 × faster.");
  assert.match(
    shortSentence(machine({ users: 64 }), run, twin, names),
    /with 64 users, one word at a time is 3\.7 × faster/,
  );
  assert.equal(modelledSentence(machine(), run, { ...twin, tokens: 20 }), "");
  assert.equal(shortSentence(machine(), run, { ...twin, tokens: 20 }, names), "");
  const reads = { ...run, works: [...run.works, { forwards: 1, tokens: 90, cached: 0, byReader: true }] };
  assert.match(
    modelledSentence(machine(), reads, twin),
    /a model of 8 billion, with another to proofread, would look 12 times/,
  );
});

test("more users turn it around where the curves cross, and a price gives a cost", () => {
  const run = { works: Array(11).fill({ forwards: 1, tokens: 112, cached: 0 }), tokens: 72 };
  const twin = { works: Array(72).fill({ forwards: 1, tokens: 1, cached: 0 }), tokens: 72 };
  const { at } = crossing(machine(), run, twin, 3);
  const lead = (/** @type {number} */ users) =>
    pointOf(machine(), run, users, 3).perUser - pointOf(machine(), twin, users, 3).perUser;
  assert.ok(lead(at - 1) > 0 && lead(at) <= 0, String(at));
  const { perMillion, total } = pointOf(machine(), run, 8, 3);
  assert.ok(Math.abs((perMillion * total * 3600) / 1e6 - 3) < 1e-9);
});

test("speed, cost and crossing are those that were worked by hand", () => {
  const exact = machine({ efficiency: 1 });
  // 100 tokens of a dense model of 8 billion: in 20 passes over 128 cells, and one at a time
  const run = { works: Array(20).fill({ forwards: 1, tokens: 128, cached: 0 }), tokens: 100 };
  const twin = { works: Array(100).fill({ forwards: 1, tokens: 1, cached: 0 }), tokens: 100 };
  // 20 passes of 16e9 / 3.35e12 s are 95.5 ms for 100 tokens: 1,047 a second, at 0.001 a second 0.955 a million
  const first = pointOf(exact, run, 1, 3.6);
  assert.ok(Math.abs(first.perUser - 1046.9) < 0.5 && first.total === first.perUser);
  assert.ok(Math.abs(first.perMillion - 0.9552) < 1e-3 && Math.abs(first.firstPass - 4.776e-3) < 1e-5);
  // one pass over 128 B cells takes 2.0706 B ms, five steps 23.88 ms: 11.53 users
  const found = crossing(exact, run, twin, 3.6);
  assert.equal(found.at, 12);
  const rows = toCsv(found).trim().split("\n");
  assert.equal(rows.length, 19);
  assert.match(rows[1] ?? "", /^run,1,1046\.\d+,/);
  const slow = { ...run, works: Array(20).fill({ forwards: 6, tokens: 128, cached: 0 }) };
  assert.ok(Number.isNaN(crossing(exact, slow, twin, 3.6).at));
});
