// What a preview shows: the words that would be others, in the places of those that stand.
import assert from "node:assert/strict";
import { test } from "node:test";
import { WORD, followedBy, wordsIn } from "../../../../assets/views/changes.js";
import { foreseen } from "../../../../dllm/features/previews/foreseen.js";
import { canvasOf } from "../../../../assets/wire/canvas.js";
import { first } from "../../../../assets/wire/timeline.js";

const WORDS = ["Toby", "found", "some", "pink", "dark", "blue", "paint", ".", "A", "jar", "s", "<end>"];
const END = WORDS.indexOf("<end>");
const piece = (/** @type {string} */ word) => (/^(s|\.|<)/.test(word) && word !== "some" ? word : ` ${word}`);
const pieces = Object.fromEntries(WORDS.map((word, token) => [token, piece(word)]));
const numbers = (/** @type {string} */ text) =>
  text.split(" ").map((word) => (word === "_" ? -1 : WORDS.indexOf(word)));

/**
 * A finished text: its first word is given.
 * @param {string} text
 * @returns {any}
 */
function side(text) {
  const tokens = [...numbers(text), END, END];
  const moment = first(canvasOf({ tokens, kinds: `g${"w".repeat(tokens.length - 1)}` }));
  return {
    moments: [moment],
    pieces: new Map(Object.entries(pieces).map(([k, v]) => [Number(k), v])),
    head: { ends: [END] },
  };
}

/**
 * @param {string} text
 * @param {string} kinds
 * @param {string} [guess]
 * @returns {any}
 */
function previewed(text, kinds, guess = text) {
  const tokens = numbers(text).map((token, cell) => (kinds[cell] === "o" ? -1 : token));
  return { did: "previewed", canvas: { tokens, kinds }, guess: numbers(guess), pieces, done: !kinds.includes("o") };
}

const STANDS = "Toby found some pink paint . A pink jar .";

test("the word that is set and those that follow stand in the places of the others", () => {
  const { ghosts, words, thinks } = foreseen(
    side(STANDS),
    0,
    previewed("Toby found some blue paint . A blue jar . <end>", "gwwpwwwwwww"),
  );
  assert.deepEqual(
    [...ghosts],
    [
      [3, "blue"],
      [7, "blue"],
    ],
  );
  assert.deepEqual([words, thinks.size], [["blue"], 0]);
});

test("a longer word moves nothing, and what only moved does not count", () => {
  const { ghosts, words } = foreseen(
    side(STANDS),
    0,
    previewed("Toby found some dark blue paint . A dark blue jar s . <end>", "gwwppwwwwwwwww"),
  );
  assert.deepEqual(
    [...ghosts],
    [
      [3, "dark blue"],
      [7, "dark blue"],
      [8, "jars"],
    ],
  );
  assert.deepEqual(words, ["dark", "blue", "s"]);
});

test("a word that goes leaves its place empty", () => {
  const { ghosts, words } = foreseen(side(STANDS), 0, previewed("Toby found some paint . A jar . <end>", "gwwwwwwww"));
  assert.deepEqual(
    [...ghosts],
    [
      [3, ""],
      [7, ""],
    ],
  );
  assert.deepEqual(words, []);
});

test("a guess counts as a word, and a place without one is still thought about", () => {
  const { ghosts, words, thinks } = foreseen(
    side(STANDS),
    0,
    previewed(
      "Toby found some blue paint . A blue jar . <end>",
      "gwwpowooooo",
      "Toby found some _ paint . A blue _ . <end>",
    ),
  );
  assert.deepEqual(
    [...ghosts],
    [
      [3, "blue"],
      [7, "blue"],
    ],
  );
  assert.deepEqual([words, [...thinks]], [["blue"], [8]]);
});

test("an early guess that the text ends does not end it where more is written", () => {
  const row = previewed("Toby found some blue paint . A _ jar . <end>", "gwwpwwwowww", "_ _ _ _ _ _ _ <end> _ _ _");
  assert.deepEqual(foreseen(side(STANDS), 0, row).words, []);
});

test("it counts what the sentence counts once the word is chosen", () => {
  for (const text of [
    "Toby found some blue paint . A dark blue jar s .",
    "Toby found blue paint . A jar .",
    "Toby found some blue jar .",
    "Toby . blue paint . A s jar .",
  ]) {
    const tokens = [...numbers(text), END];
    const kinds = `g${"w".repeat(tokens.length - 1)}`.split("");
    kinds[numbers(text).indexOf(5)] = "p";
    const event = { canvas: { tokens, kinds: kinds.join("") }, guess: tokens.map(() => -1), pieces, done: true };
    const one = side(STANDS);
    const after = first(canvasOf(event.canvas));
    const followed = followedBy(/** @type {any} */ (one.moments[0]), after, [END]);
    const { words } = foreseen(one, 0, /** @type {any} */ (event));
    const counted = followed.filter((cell) => WORD.test(WORDS[tokens[cell] ?? -1] ?? ""));
    assert.equal(words.length, wordsIn(one, after, counted), text);
  }
});

test("the part between what stays at both ends is known as a text, its words with their spaces", () => {
  const row = previewed("Toby found blue jar s . A pink jar . <end>", "gwpwwwwwwww");
  assert.deepEqual(foreseen(side(STANDS), 0, row).between, {
    from: 2,
    to: 5,
    words: [
      { text: " blue", fresh: true },
      { text: " jars", fresh: true },
    ],
  });
  assert.equal(foreseen(side(STANDS), 0, previewed(`${STANDS} <end>`, "gwwpwwwwwww")).between, null);
});

test("a place too many has no letters and counts as no word", () => {
  const one = side(STANDS);
  one.head.model = { skips: [WORDS.indexOf("s")] };
  const row = previewed("Toby found some blue paint . s s jar . <end>", "gwwpwwwwwww");
  const { words, ghosts, between } = foreseen(one, 0, row);
  assert.deepEqual([words, ghosts.get(6), ghosts.get(7)], [[], "", ""]);
  assert.ok(!between?.words.some(({ text }) => text.includes("s jar")));
});
