// What checks found: at a moment, in a word, and in the sentence at the end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { advanced } from "../../../assets/clock/playhead.js";
import { faces } from "../../../assets/cells/face.js";
import { findingAt, findingIn, findingsSentence } from "../../../assets/views/findings.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened, stepped } from "../runs.js";

const found = (/** @type {number} */ at, /** @type {string} */ outcome, /** @type {number[]} */ tokens, kinds = "gwowo") => ({
  did: "edited", session: "s", n: at + 1, at, canvas: { tokens, kinds },
  edit: { do: "find", check: "sums", why: "1 + 1 is 2", cells: [2], outcome, own: true },
}); // prettier-ignore
const pin = { did: "edited", session: "s", n: 8, at: 7, edit: { do: "pin", cells: [1], tokens: [3] },
  canvas: { tokens: [1, 3, 3, 3, -1], kinds: "gpwwo" } }; // prettier-ignore
/** @param {any[]} events */
const sideOf = (...events) => /** @type {any} */ (events.reduce(reduce, { sides: [emptySide()] })).sides[0];
const EVENTS = [
  opened(4, { settings: { checks: ["sums"] } }),
  stepped(1, [1, 2, 3], [2, 3, 3]),
  found(2, "reopened", [1, 2, -1, 3, -1]),
  stepped(3, [2], [3]),
  found(4, "reopened", [1, 2, -1, 3, -1]),
  stepped(5, [2], [3]),
  found(6, "stands", [1, 2, 3, 3, -1], "gwwwo"),
];

test("a slip says the reason, and how often it came", () => {
  const side = sideOf(...EVENTS);
  assert.equal(findingAt(side, 1), "");
  assert.equal(findingAt(side, 2), "1 + 1 is 2");
  assert.match(findingAt(side, 4), /1 \+ 1 is 2.*2/);
  assert.equal(findingAt(side, 6), "it stands: 1 + 1 is 2");
});

test("a word knows that it was reopened, mended or stands; a person's edit lets the checks begin again", () => {
  const side = sideOf(...EVENTS, pin);
  const look = (/** @type {number} */ at) => faces(side, at)[2]?.look ?? "";
  assert.match(look(2), / found/);
  assert.doesNotMatch(look(2), / erased/);
  assert.match(look(3), / healed/);
  assert.match(look(6), / stands/);
  assert.doesNotMatch(look(7), / stands| healed/);
  assert.equal(findingIn(side, 3, 2), "Reopened: 1 + 1 is 2.");
  assert.equal(findingIn(side, 3, 1), "");
});

test("the sentence says how often, and why it ended", () => {
  const side = sideOf(...EVENTS, pin);
  assert.equal(findingsSentence(side, 1), "The checks found nothing.");
  assert.equal(findingsSentence(side, 3), "Reopened once. Nothing else was found.");
  assert.equal(findingsSentence(side, 6), "Reopened twice. It stands: 1 + 1 is 2. Nothing else was found.");
  assert.equal(findingsSentence(sideOf(opened(4)), 0), "");
});

test("the player stands still where a check found something", () => {
  const side = sideOf(...EVENTS);
  const head = { axis: /** @type {const} */ ("pass"), at: 1.5, playing: true, following: false };
  const stopped = advanced(/** @type {any} */ (head), /** @type {any} */ ({ passes: 4 }), 500, [side]);
  assert.equal(stopped.at, 2);
  assert.ok((stopped.hold ?? 0) > 1000);
  const later = advanced({ ...stopped, hold: 0 }, /** @type {any} */ ({ passes: 4 }), 250, [side]);
  assert.equal(later.at, 3);
});
