// Random sequences of what a person, the server and the clock do, against a small model server: nothing waits for ever,
// and Run works afterwards. SEQUENCES says how many; `make test-all` has 10,000.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Controller } from "../../../assets/stage/controller.js";
import { reduce, emptySide } from "../../../assets/wire/store.js";
import { opened, stepped } from "../runs.js";
import { Line, ModelServer } from "./model_server.js";

const SEQUENCES = Number(process.env.SEQUENCES ?? 300);
const LENGTH = 14;
const VALUES = { prompt: "good", length: 4, seed: 0, preset: "confidence", temperature: 0 };

/** What is due: timers and frames come when the test says so. @type {Map<number, (now: number) => void>} */
const due = new Map();
let tickets = 0;
let now = 0;
const later = (/** @type {(now: number) => void} */ run, ms = 16) => {
  tickets++;
  if (ms < 3000) due.set(tickets, run); // no socket is blocked here
  return tickets;
};
const never = (/** @type {number} */ ticket) => void due.delete(ticket);
/** @type {ModelServer} */
let server = new ModelServer();

Object.assign(globalThis, {
  HTMLTextAreaElement: class {},
  HTMLInputElement: class {},
  document: { baseURI: "http://page/", querySelector: () => null, dispatchEvent: () => true },
  dispatchEvent: () => true,
  matchMedia: () => ({ matches: true }),
  requestAnimationFrame: later,
  cancelAnimationFrame: never,
  reportError: (/** @type {unknown} */ error) => {
    throw error;
  },
  WebSocket: class extends Line {
    constructor() {
      super(server);
    }
  },
});

/** A number from 0 to 1, the same row for the same seed.
 * @param {number} seed
 */
function generator(seed) {
  let state = seed + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 12)) >>> 0) / 2 ** 32;
  };
}

/** A stage with a recording on it. */
function stage() {
  due.clear();
  server = new ModelServer();
  const controller = new Controller();
  const names = Object.keys(VALUES);
  controller.setUp({
    names,
    values: Object.values(VALUES),
    models: ["toy"],
    faster: false,
    decoders: {},
    own: {},
  });
  controller.runs.trust("good");
  const head = { prompt: "good", settings: {}, seed: 0, model: { name: "toy", weights: "w" } };
  const recorded = (/** @type {string} */ session) => {
    const events = [opened(4, head), stepped(1, [1], [2]), stepped(2, [2, 3, 4], [2, 2, 2])];
    const { sides } = events.reduce((now, event) => reduce(now, { ...event, session }), { sides: [emptySide()] });
    return { .../** @type {any} */ (sides[0]), source: "replay", keys: {}, done: true };
  };
  controller.put([recorded("replay 1"), recorded("replay 2")]);
  return controller;
}

/** @typedef {(controller: Controller, random: () => number) => void} Act */

/** What can happen, by its name. @type {Record<string, Act>} */
const ACTS = {
  run: (one) => void one.run({ prompt: "good" }),
  "run a prompt that the model knows": (one) => void one.run({ prompt: "fine" }),
  "run a prompt that it does not know": (one) => void one.run({ prompt: "odd" }),
  "run it anyway": (one) => void one.run({ prompt: "odd" }, true),
  "run what the server refuses": (one, random) => void one.run({ prompt: "refused" }, random() < 0.5),
  "run where a model is opened first": (one) => void one.run({ prompt: "slow" }),
  "choose another model": (one) => one.answerWith(["other"]),
  "choose the pair again": (one) => one.runs.comeHome(),
  "open the models beforehand": (one) => one.runs.warm(),
  "press play or pause": (one) => one.player.toggle(),
  pause: (one) => one.player.pause(),
  "step on": (one) => one.player.step(1),
  "step back": (one) => one.player.step(-1),
  pin: (one, random) => one.steering.edit(0, { do: "pin", cells: [1 + Math.floor(4 * random())], tokens: [2] }),
  erase: (one) => one.steering.edit(0, { do: "erase", cells: [2] }),
  ban: (one) => one.steering.edit(0, { do: "ban", token: 3 }),
  replace: (one) => one.steering.replace(0, 2, { text: "two" }),
  "take a change back": (one) => one.steering.takeBack(0, /** @type {any} */ ({ at: 1 })),
  branch: (one) => one.steering.steer("fork", ""),
  undo: (one) => one.undo.back(),
  redo: (one) => one.undo.forth(),
  "move a slider": (one, random) => one.runs.change([...Object.values({ ...one.values, temperature: random() })]),
  "leave the run for somebody else's": (one) => one.reserve("class"),
  "lose the connection": () => server.lines.forEach((line) => line.close()),
  "the server starts again": () => server.restart(),
  "another visitor stops the opening of a model": () => void (server.stopped = true),
};
const NAMES = Object.keys(ACTS);

/** One thing that is due, or one message more.
 * @param {() => number} random
 */
function proceed(random) {
  const [ticket] = due.keys();
  if (ticket !== undefined && random() < 0.5) {
    const run = due.get(ticket);
    due.delete(ticket);
    run?.((now += 50));
    return true;
  }
  return server.turn(random) || due.size > 0;
}

/** Until nothing is due, and no message is on its way.
 * @param {() => number} random
 */
function settle(random) {
  for (let i = 0; i < 3000; i++) if (!proceed(random)) return;
  assert.fail("it never comes to rest");
}

/** @param {Controller} one */
const states = (one) => Object.entries(one.machine.state).map(([region, { is }]) => `${region} ${is}`);

const timeout = globalThis.setTimeout;

test(`${SEQUENCES} random sequences end where Run works`, async () => {
  Object.assign(globalThis, { setTimeout: later, clearTimeout: never });
  try {
    for (let seed = Number(process.env.SEED ?? 0); seed < Number(process.env.SEED ?? 0) + SEQUENCES; seed++) {
      const random = generator(seed);
      const one = stage();
      /** @type {string[]} */
      const done = [];
      try {
        for (let i = 0; i < LENGTH; i++) {
          const name = NAMES[Math.floor(random() * NAMES.length)] ?? "";
          done.push(name);
          ACTS[name]?.(one, random);
          for (let k = Math.floor(random() * 12); k; k--) proceed(random);
        }
        settle(random);
        assert.ok(!one.going && !one.next, "something waits for ever");
        server.stopped = false;
        one.run({ prompt: "good" }, true);
        settle(random);
        assert.ok(one.machine.in("run", "shown") && one.side(0).source === "live", "Run does nothing");
        assert.equal(one.side(0).moments.at(-1)?.open, 0, "the run does not end");
      } catch (error) {
        throw new Error(`seed ${seed}: ${done.join(", ")}: ${states(one).join("; ")}`, { cause: error });
      }
    }
  } finally {
    Object.assign(globalThis, { setTimeout: timeout });
  }
});
