// Where words stand on paper, and how large their letters may be.
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawnCells, largest, places } from "../../../assets/cells/places.js";

/** @param {string} text @param {object} [more] */
function face(text, more = {}) {
  const plain = {
    text,
    ink: text.replaceAll("⏎", ""),
    look: "cell written",
    sure: "9",
    share: 1,
    ticks: "",
    label: "",
    open: false,
  };
  return { ...plain, ended: false, joined: false, breaks: 0, silent: false, ...more };
}
const measure = (/** @type {string} */ text) => text.length;
const all = (/** @type {any[]} */ row) => row.map(() => true);

test("words flow, and what has no space before it stays with its word", () => {
  const row = [face("one"), face("two"), face(",", { joined: true }), face("three")];
  const { at, lines } = places(row, all(row), 8, measure);
  assert.equal(lines, 2);
  assert.deepEqual(
    at.map((place) => place?.line),
    [0, 0, 0, 1],
  );
  assert.equal((at[1]?.x ?? 0) + 3, at[2]?.x);
  const narrow = places(row, all(row), 7, measure); // the comma takes its word along
  assert.deepEqual(
    narrow.at.map((place) => place?.line),
    [0, 1, 1, 2],
  );
});

test("a line break begins a line and is not drawn; a word longer than a line is broken", () => {
  const row = [face("a"), face("⏎", { breaks: 1 }), face("b", { joined: true }), face("⏎⏎", { breaks: 2 }), face("c")];
  assert.deepEqual(
    places(row, all(row), 9, measure).at.map((place) => place?.line),
    [0, 0, 1, 1, 3],
  );
  const long = [face("aaaa"), face("bbbb", { joined: true }), face("cc", { joined: true })];
  assert.deepEqual(
    places(long, all(long), 5, measure).at.map((place) => place?.line),
    [0, 1, 2],
  );
});

test("where a token is a letter, open cells are as narrow as one and stand side by side", () => {
  const open = { open: true, joined: true };
  const row = [face("A"), face("", open), face("", open), face("C", { joined: true })];
  const { at, lines } = places(row, all(row), 9, measure);
  assert.equal(lines, 1);
  assert.deepEqual(
    at.map((place) => place?.x),
    [0, 1, 1.75, 2.5],
  );
});

test("nothing is drawn from the end of the text on or where no word is, and a guess of an end counts only behind what is written", () => {
  const end = { ended: true };
  const guess = { ended: true, open: true };
  assert.deepEqual(drawnCells([face("a"), face("∎", end), face("b")], false), [true, false, false]);
  assert.deepEqual(drawnCells([face("a"), face("∎", guess), face("b")], false), [true, true, true]);
  assert.deepEqual(drawnCells([face("a"), face("∎", guess), face("", { open: true })], false), [true, false, false]);
  assert.deepEqual(drawnCells([face("a"), face("∅", { silent: true }), face("b")], false), [true, false, true]);
  assert.deepEqual(drawnCells([face("a"), face("", { open: true })], true), [true, false]); // it has no places, only a next one
});

test("letters are the largest with which the text and a slip fit, and never smaller than the least", () => {
  const sizes = { most: 64, least: 16, pitch: 1.5 };
  const room = { width: 100, height: 300, slip: 0, popover: 0 };
  assert.equal(
    largest(() => [5], [room], sizes),
    40,
  );
  const between = { ...room, slip: 60, popover: 100 };
  assert.equal(
    largest(() => [5], [between], sizes),
    35,
  );
  assert.equal(
    largest(() => [90], [room], sizes),
    16,
  );
});

test("words that were given are drawn also after an end that the model wrote before them", () => {
  const given = { look: "cell given" };
  const end = { ended: true };
  const row = [face("a", given), face("b"), face("∎", end), face("c"), face("d", given), face("e", given)];
  assert.deepEqual(drawnCells(row, false), [true, true, false, false, true, true]);
  const chat = [face("a", given), face("∎", { ...given, ...end }), face("b"), face("∎", end), face("c")]; // a template's end
  assert.deepEqual(drawnCells(chat, false), [true, true, true, false, false]);
});
