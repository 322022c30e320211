// The statechart as data: every event has an answer in every state, and each state can be left. And what interprets it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mock, test } from "node:test";
import { Machine } from "../../../assets/stage/machine.js";
import { STATECHART } from "../../../assets/stage/statechart.js";
import { FILE, text } from "../../../scripts/statechart.js";

const REGIONS = Object.entries(STATECHART);

/** @param {import("../../../assets/stage/statechart.js").Region} region */
const eventsOf = ({ states }) => new Set(Object.values(states).flatMap(({ on }) => Object.keys(on)));

/** Why an event changes nothing where a state does not list it.
 * @param {import("../../../assets/stage/statechart.js").Region} region
 * @param {string} event
 */
const reason = ({ otherwise }, event) => (typeof otherwise === "string" ? otherwise : otherwise[event]);

for (const [name, region] of REGIONS) {
  const states = Object.entries(region.states);

  test(`${name}: every event has an answer in every state`, () => {
    for (const [state, { on }] of states)
      for (const event of eventsOf(region))
        assert.ok(event in on || reason(region, event), `${event} in ${state}: does nothing, and nothing says why`);
    for (const event of typeof region.otherwise === "string" ? [] : Object.keys(region.otherwise))
      assert.ok(
        states.some(([, { on }]) => !(event in on)),
        `${event} leads somewhere from every state, so its reason is of no use`,
      );
  });

  test(`${name}: what a state says is complete, and leads to states that there are`, () => {
    assert.ok(region.first in region.states && region.about);
    for (const [state, { shows, allows, on, after }] of states) {
      assert.ok(shows && allows, state);
      for (const to of Object.values(on)) assert.ok(to in region.states, `${state} leads to ${to}`);
      if (after) assert.ok(after[1] in on, `the clock of ${state} sends ${after[1]}`);
    }
  });

  test(`${name}: no state without a way in, a way out and a way back to the first`, () => {
    const reached = (/** @type {string} */ from) => {
      const found = new Set([from]);
      for (const one of found) for (const to of Object.values(region.states[one]?.on ?? {})) found.add(to);
      return found;
    };
    assert.deepEqual([...reached(region.first)].sort(), Object.keys(region.states).sort());
    for (const [state] of states) assert.ok(reached(state).has(region.first), `${state} never ends`);
  });
}

test("an event leads on each region that listens for it, with what it keeps", () => {
  const machine = new Machine();
  machine.send("ask", { request: { id: "1" } });
  assert.ok(machine.in("prompt", "asking") && machine.in("run", "none"));
  assert.equal(machine.kept("prompt").request.id, "1");
  machine.send("open", { id: "1" });
  assert.ok(machine.in("prompt", "free") && machine.in("run", "opening"));
  assert.equal(machine.kept("prompt"), null);
  machine.send("shown");
  assert.equal(machine.kept("run", "shown").id, "1");
  assert.equal(machine.kept("run", "opening"), null);
});

test("an event that nobody wrote down is an error, not nothing", () => {
  assert.throws(() => new Machine().send("opend"), /no event opend/);
});

test("the clock of a state sends its event once, and not after the state was left", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  let settled = 0;
  const machine = new Machine({ settled: () => settled++ });
  machine.send("move");
  mock.timers.tick(200);
  machine.send("move");
  mock.timers.tick(200);
  assert.equal(settled, 0);
  mock.timers.tick(60);
  assert.equal(settled, 1);
  machine.send("move");
  machine.send("open", { id: "1" });
  mock.timers.tick(1000);
  assert.equal(settled, 1);
  mock.timers.reset();
});

test("the picture in the documentation is made from these data: make statechart", () => {
  assert.equal(readFileSync(FILE, "utf-8"), text);
});

test("each stage is in states of its own", () => {
  const [one, two] = [new Machine(), new Machine()];
  one.send("open", { id: "1" });
  assert.ok(one.in("run", "opening") && two.in("run", "none"));
});
