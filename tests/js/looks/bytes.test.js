// Bytes that are parts of a letter become letters again, and what never becomes one is shown as it is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bare, groupsOf, isPart, lettersOf, textOfPieces } from "../../../assets/looks/bytes.js";
import { shownAs } from "../../../assets/looks/glyphs.js";
import { faces } from "../../../assets/cells/face.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened, stepped } from "../runs.js";

const SMILE = ["<0xF0><0x9F>", "<0x98>", "<0x80>"];

test("the parts of a letter are found, and only together they are one", () => {
  assert.deepEqual([isPart("<0xF0>"), isPart(" rain"), isPart("<0xZZ>")], [true, false, false]);
  assert.equal(lettersOf(SMILE), "😀");
  assert.equal(lettersOf(SMILE.slice(0, 2)), null);
  assert.deepEqual(groupsOf([" a", ...SMILE, " b"]), [{ from: 1, cells: 3, text: "😀" }]);
  assert.deepEqual(groupsOf([" a", "<0xF0>", null, "<0x98>"]), []);
  assert.deepEqual(
    groupsOf([" <0xC3>", "<0xA9>", "<0xC3>", "<0xA8>"]).map(({ text }) => text),
    [" é", "è"],
  );
  assert.equal(textOfPieces([" a", ...SMILE]), " a😀");
  assert.equal(bare("<0xF0>"), "‹F0›");
});

test("a sign of several letters is one group: families, skin, flags, accents; never more", () => {
  const texts = (/** @type {(string | null)[]} */ pieces) => groupsOf(pieces).map(({ text }) => text);
  assert.deepEqual(texts([" a", "👨", "\u200d", "👩", "\u200d👧", " b"]), ["👨‍👩‍👧"]);
  assert.deepEqual(groupsOf(["x", "👍", "🏽", "!"]), [{ from: 1, cells: 2, text: "👍🏽" }]);
  assert.deepEqual(texts(["🇮", "🇹", "🇫", "🇷"]), ["🇮🇹", "🇫🇷"]);
  assert.deepEqual(texts(["e", "\u0301", "t"]), ["e\u0301"]);
  assert.deepEqual(texts([...SMILE, "<0xF0><0x9F>", "<0x8F><0xBD>"]), ["😀🏽"]);
  assert.deepEqual(texts(["👨", null, "👩"]), []);
  assert.deepEqual(texts(["\r", "\n", "a", " b"]), []);
  assert.deepEqual(texts(["日", "本", "語"]), []);
});

test("a row of marks that never ends is cut", () => {
  const groups = groupsOf(["e", ...Array.from({ length: 60 }, () => "\u0301")]);
  assert.ok(groups.every(({ cells }) => cells <= 24) && groups.length > 1);
});

test("an emoji is one group of cells: the letter stands in the first, the others lean on it", () => {
  const pieces = { 1: " one", 2: SMILE[0], 3: SMILE[1], 4: SMILE[2], 9: "<end>" };
  const stage = [{ ...opened(), pieces }, stepped(1, [1, 2, 3], [2, 3, 4])].reduce(reduce, { sides: [emptySide()] });
  const row = faces(/** @type {any} */ (stage.sides[0]), 1);
  assert.deepEqual(
    row.slice(1, 4).map(({ text }) => text),
    ["😀", "", ""],
  );
  assert.match(row[1]?.look ?? "", /part front/);
  assert.match(row[2]?.look ?? "", /part rear joined/);
  assert.match(row[2]?.label ?? "", /😀, part 2 of 3/);
});

test("a family of four pieces is one face, said as one, its joiners unnamed", () => {
  const pieces = { 1: " one", 2: " 👨", 3: "\u200d", 4: "👩", 5: "\u200d👧", 9: "<end>" };
  const stage = [{ ...opened(), pieces }, stepped(1, [1, 2, 3, 4], [2, 3, 4, 5])].reduce(reduce, {
    sides: [emptySide()],
  });
  const row = faces(/** @type {any} */ (stage.sides[0]), 1);
  assert.deepEqual(
    row.slice(1, 5).map(({ text }) => text),
    ["👨‍👩‍👧", "", "", ""],
  );
  assert.match(row[3]?.label ?? "", /^3: 👨‍👩‍👧, part 3 of 4, written/);
  assert.equal(shownAs("a\u200db"), "aZWJb");
});
