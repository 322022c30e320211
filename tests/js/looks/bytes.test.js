// Bytes that are parts of a letter become letters again, and what never becomes one is shown as it is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bare, groupsOf, isPart, lettersOf, textOfPieces } from "../../../assets/looks/bytes.js";
import { faces } from "../../../assets/stage/painter.js";
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
