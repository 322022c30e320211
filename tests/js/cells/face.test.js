// The painter's plan: how a cell looks, and that only what differs is touched.
import assert from "node:assert/strict";
import { test } from "node:test";
import { shownAs } from "../../../assets/looks/glyphs.js";
import { NO_HIGHLIGHT, faces, look, percent } from "../../../assets/cells/face.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened, stepped } from "../runs.js";

/** @param {...any} events */
function side(...events) {
  return events.reduce(reduce, { sides: [emptySide()] }).sides[0];
}

test("an open cell shows its guess only once it is worth showing", () => {
  const row = faces(side(opened(), stepped(1, [], [])), 1);
  assert.deepEqual([row[1]?.text, row[1]?.sure, row[4]?.text], ["two", "8", ""]);
  assert.match(row[1]?.label ?? "", /open, perhaps two, 80 %/);
});

test("a cell that was written to hold no word is silent; a person who pins it means it", () => {
  const start = opened(4, { model: { name: "toy", skips: [3] } });
  assert.deepEqual(
    faces(side(start, stepped(1, [1, 2], [3, 9])), 1).map((face) => face.silent),
    [false, true, false, false, false],
  );
});

test("nothing of an answer is in the faces before it was written", () => {
  const run = side(opened(), stepped(1, [1], [3], { g: undefined, s: undefined }));
  assert.ok(faces(run, 0).every((face) => !face.text.includes("three")));
  assert.equal(faces(run, 1)[1]?.text, "three");
});

test("written, fresh, doubted, pinned and beyond the end each have a look of their own", () => {
  const run = side(opened(), stepped(1, [1, 2], [3, 9]), stepped(2, [3], [3]));
  const row = faces(run, 2);
  assert.equal(row[0]?.look, "cell given");
  assert.match(row[1]?.look ?? "", /written doubted/);
  assert.match(row[2]?.look ?? "", /end/);
  assert.match(row[3]?.look ?? "", /fresh beyond/);
  assert.doesNotMatch(faces(run, 1)[1]?.look ?? "", /doubted/); // it was just written: nobody doubts yet
});

test("a word on its way is shown as pending", () => {
  const highlight = { ...NO_HIGHLIGHT, pending: new Map([[2, "rain"]]), selected: new Set([2]) };
  const face = faces(side(opened()), 0, highlight)[2];
  assert.equal(face?.text, "rain");
  assert.match(face?.look ?? "", /pending selected/);
});

test("the guesses of the next pass are seen before it writes, what it is about to write among them", () => {
  const run = side(opened(), stepped(1, [1], [2]));
  const seen = look(run, 0, NO_HIGHLIGHT, null, true)?.row ?? [];
  assert.ok(seen.every(({ look: classes }) => !classes.includes("written")));
  assert.equal(seen[1]?.text, "two");
  assert.equal(faces(run, 0)[1]?.text, "");
});

test("what follows the end of a text is put away, and a mark of the model's is named", () => {
  const pieces = { 1: "<|im_start|>", 2: " two", 9: "<end>" };
  const run = side({ ...opened(), pieces }, stepped(1, [1, 2, 3], [2, 9, 2]));
  const row = faces(run, 1);
  assert.match(row[3]?.look ?? "", /beyond rest/);
  assert.doesNotMatch(row[4]?.look ?? "", /rest/); // still open
  assert.deepEqual([row[0]?.text, row[2]?.text], ["im start", "∎"]);
  assert.match(row[0]?.look ?? "", /special/);
});

test("a prompt keeps its own spaces", () => {
  const run = side({ ...opened(), pieces: { 1: " " } });
  assert.equal(faces(run, 0)[0]?.text, " ");
});

test("small shares are no zero", () => {
  assert.deepEqual([0, 0.0004, 0.003, 0.094, 0.5].map(percent), ["0 %", "< 0.1 %", "0.3 %", "9 %", "50 %"]);
});

test("nothing invisible stays invisible", () => {
  assert.equal(shownAs(" rain"), "rain");
  assert.equal(shownAs(" "), "␣");
  assert.equal(shownAs("\n\n"), "⏎⏎");
  assert.equal(shownAs("\u0000"), "␀");
  assert.equal(shownAs("a\u202eb"), "a‹202E›b");
  assert.equal(shownAs("<script>${x}</script>"), "<script>${x}</script>");
});

test("a face that would come out alike is kept, and any other is made anew", () => {
  const run = side(opened(), stepped(1, [1], [3]), stepped(2, [3], [3]));
  const one = look(run, 1, NO_HIGHLIGHT, null);
  const two = look(run, 2, NO_HIGHLIGHT, one);
  assert.deepEqual(two?.row, faces(run, 2));
  assert.equal(two?.row[0], one?.row[0]);
  assert.notEqual(two?.row[3], one?.row[3]);
  const lit = look(run, 2, { ...NO_HIGHLIGHT, selected: new Set([0]) }, two);
  assert.match(lit?.row[0]?.look ?? "", /selected/);
  assert.equal(lit?.row[4], two?.row[4]);
});
