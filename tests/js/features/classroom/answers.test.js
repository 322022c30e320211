// Answers as bars and as a table: labelled, the right ones marked, no names, and nothing that a spreadsheet would run.
import assert from "node:assert/strict";
import { test } from "node:test";

import { bars, csvOf, keptRows } from "../../../../dllm/features/classroom/answers.js";

const revealed = (/** @type {object} */ more) =>
  /** @type {import("../../../../dllm/features/classroom/room.js").Revealed} */ (
    /** @type {unknown} */ ({ kind: "word", session: "s", at: 3, answers: 5, cell: 7, tally: [], right: [], ...more })
  );

test("each answer is a bar with its label, and what nobody chose comes last", () => {
  const found = bars(
    revealed({
      tally: [
        ["Cat", 3],
        ["dog", 2],
      ],
      right: ["cat"],
    }),
    String,
  );
  assert.deepEqual(found, [
    { label: "“Cat”", count: 3, right: true },
    { label: "“dog”", count: 2, right: false },
  ]);
  const missed = bars(revealed({ tally: [["dog", 2]], right: ["cat"] }), String);
  assert.deepEqual(missed.at(-1), { label: "“cat”", count: 0, right: true });
});

test("cells are named by the words in them, the rest is one bar, and a look of many words lists only chosen ones", () => {
  const tally = Array.from({ length: 9 }, (_, i) => [String(i), 9 - i]);
  const found = bars(revealed({ kind: "cell", tally, right: ["1", "20", "21", "22", "23"] }), (cell) => `w${cell}`);
  assert.equal(found.length, 7);
  assert.deepEqual(found[1], { label: "“w1”, cell 1", count: 8, right: true });
  assert.deepEqual(found[6], { label: "other answers", count: 3 + 2 + 1, right: false });
});

test("the table has a line for each answer, and quotes what it must", () => {
  const one = revealed({ tally: [['=1+1, "x"', 2]], right: [] });
  const rows = keptRows(one, bars(one, String));
  assert.equal(csvOf([rows]), 'question,kind,moment,cell,answer,count,right\r\n1,word,3,7,"“=1+1, ""x""”",2,no\r\n');
});
