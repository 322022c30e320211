// The ripple: what it asks of the server, what it shows of the answer, and when it is over.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Ripple } from "../../../../dllm/features/previews/ripple.js";
import { emptySide, reduce } from "../../../../assets/wire/store.js";
import { opened, stepped } from "../../runs.js";

mock.timers.enable({ apis: ["setTimeout"] });
const BLUE = { token: 2, text: "two" };

/** @param {any} [changes] of the side @returns {any} */
function stage(changes = {}) {
  const events = [opened(4), stepped(1, [1, 2], [2, 3]), stepped(2, [3, 4], [3, 9], { open: 0, done: true })];
  const [side] = /** @type {any} */ (events.reduce(reduce, /** @type {any} */ ({ sides: [emptySide()] }))).sides;
  const sides = [
    { ...side, done: true, ...changes },
    { ...side, session: "t", head: { ...side.head, causal: true } },
  ];
  /** @type {any[]} */
  const sent = [];
  /** @type {any} */
  const controller = {
    sides,
    sent,
    side: (/** @type {number} */ number) => sides[number],
    player: { at: () => 2, head: { playing: false } },
    link: "open",
    names: ["prompt"],
    models: ["denoiser", "twin"],
    listeners: new Set(),
    others: { has: () => false },
    connection: { send: (/** @type {any} */ message) => sent.push(message) },
    frames: { now() {} },
  };
  const ripple = new Ripple(controller, []);
  const hear = (/** @type {any} */ event) => [...controller.listeners].forEach((one) => one(event));
  return { controller, ripple, sent, hear };
}

/** @param {string} id @param {any} [more] */
const previewed = (id, more = {}) => ({
  did: "previewed",
  id,
  canvas: { tokens: [1, 2, 3, 2, 9], kinds: "gwwpw" },
  guess: [-1, -1, -1, -1, -1],
  pieces: { 2: " two" },
  done: true,
  ...more,
});

test("it asks for what choosing the word would do, and shows the word at once", () => {
  const { ripple, sent } = stage();
  ripple.show(0, 3, BLUE);
  assert.deepEqual(sent[0], {
    id: "ripple-1",
    do: "preview",
    session: "s",
    at: 1,
    keep: true,
    edits: [{ do: "pin", cells: [3], tokens: [2] }],
  });
  assert.deepEqual([...ripple.of(0).words], [[3, "two"]]);
  assert.equal(ripple.of(1).words.size, 0);
  assert.deepEqual([ripple.stands(0), ripple.stands(1)], ["", "stands: it never goes back"]);
});

test("the answer is said once, and kept for the second visit", () => {
  const { ripple, sent, hear } = stage();
  /** @type {string[]} */
  const spoken = [];
  ripple.announce = (/** @type {string} */ text) => spoken.push(text);
  ripple.show(0, 3, BLUE);
  hear(previewed(sent[0].id));
  assert.equal(ripple.says, "nothing else would change");
  hear(previewed("ripple-0", { canvas: { tokens: [1, 3, 3, 2, 9], kinds: "gwwpw" } })); // of another word
  assert.equal(ripple.says, "nothing else would change");
  ripple.hide();
  assert.equal(sent.length, 1); // it was complete, so nothing is to be cancelled
  ripple.show(0, 3, BLUE);
  assert.deepEqual([sent.length, ripple.says], [1, "nothing else would change"]);
  assert.deepEqual(spoken, ["nothing else would change.", "nothing else would change."]);
});

test("a screen reader hears the words that would follow", () => {
  const { ripple, sent, hear } = stage();
  let spoken = "";
  ripple.announce = (/** @type {string} */ text) => (spoken = text);
  ripple.show(0, 3, BLUE);
  hear(previewed(sent[0].id, { canvas: { tokens: [1, 3, 2, 2, 9], kinds: "gwwpw" } }));
  assert.match(spoken, /^(one|\d) more would follow: \w/);
});

test("a slow model is said to look, and what it knows so far is shown", () => {
  const { ripple, sent, hear } = stage();
  ripple.show(0, 3, BLUE);
  const part = { canvas: { tokens: [1, 2, 3, 2, -1], kinds: "gwwpo" }, guess: [-1, -1, -1, -1, 9], done: false };
  hear(previewed(sent[0].id, part));
  assert.equal(ripple.says, ""); // the whole may come at once
  mock.timers.tick(120);
  assert.equal(ripple.says, "it looks again …");
  hear(previewed(sent[0].id));
  assert.equal(ripple.says, "nothing else would change");
});

test("who looks elsewhere cancels it, and a refusal is not shown", () => {
  const { ripple, sent, hear } = stage();
  ripple.show(0, 3, BLUE);
  ripple.hide();
  assert.deepEqual(sent[1], { do: "preview" });
  hear(previewed(sent[0].id)); // it was on its way
  assert.equal(ripple.rest, null);
  ripple.show(0, 3, BLUE);
  hear({ did: "refused", do: "preview", id: sent[2].id, why: "you may watch this run, no more" });
  assert.deepEqual([ripple.rest, ripple.says, sent.length], [null, "", 3]);
});

test("nothing is asked while the line is lost, while the run goes on, or where there is no server", () => {
  for (const changes of [{ link: "lost" }, { player: { at: () => 2, head: { playing: true } } }]) {
    const { controller, ripple, sent } = stage({ done: !("player" in changes) });
    Object.assign(controller, changes);
    ripple.show(0, 3, BLUE);
    assert.deepEqual([ripple.rest, sent.length], [null, 0]);
  }
  const { controller, ripple, sent } = stage({ source: "replay" });
  controller.names = [];
  ripple.show(0, 3, BLUE);
  assert.deepEqual([ripple.rest, sent.length], [null, 0]);
});

test("of a recording it asks with all that the run began with", () => {
  const { ripple, sent } = stage({ source: "replay", session: "replay" });
  ripple.show(0, 3, BLUE);
  const [{ open, at, weights, session }] = sent;
  assert.deepEqual([at, weights, session, open.sides.length, open.sides[0].model], [1, "", undefined, 1, "denoiser"]);
});

test("of somebody else's run nothing is shown before it is allowed", () => {
  const { controller, ripple, sent, hear } = stage();
  controller.others.has = () => true;
  ripple.show(0, 3, BLUE);
  assert.equal(ripple.of(0).words.size, 0);
  hear(previewed(sent[0].id));
  assert.equal(ripple.of(0).words.size, 1);
});
