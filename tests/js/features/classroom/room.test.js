// What a class shares, as values.
import assert from "node:assert/strict";
import { test } from "node:test";
import { codeIn } from "../../../../dllm/features/classroom/code.js";
import {
  overSentence,
  questionSentence,
  revealedSentence,
  sameView,
  sideOf,
  spelledCode,
  standSentence,
  viewOf,
} from "../../../../dllm/features/classroom/room.js";
import { PIECES, opened, stepped } from "../../runs.js";

test("a code stands in an address, in any spelling of it", () => {
  assert.equal(codeIn("#class=k7pm-3xq9"), "K7PM3XQ9");
  assert.equal(codeIn("#run=1.x&class=K7PM3XQ9"), "K7PM3XQ9");
  for (const none of ["", "#class=", "#class=a b", "#subclass=K7PM3XQ9", "#class=<script>", `#class=${"A".repeat(99)}`])
    assert.equal(codeIn(none), "");
  assert.equal(spelledCode("K7PM3XQ9"), "K7PM-3XQ9");
});

test("a moment is shown anew when it differs, and not while it merely goes on", () => {
  const head = /** @type {const} */ ({ axis: "clock", at: 12.34567, playing: true, following: false });
  const view = viewOf(head, 2);
  assert.deepEqual(view, { axis: "clock", place: 12.346, playing: true, following: false, speed: 2 });
  assert.ok(sameView(view, { ...view, place: 99 })); // it plays
  assert.ok(!sameView({ ...view, playing: false }, { ...view, playing: false, place: 99 }));
  assert.ok(!sameView(view, { ...view, following: true }) && !sameView(null, view));
  assert.equal(viewOf({ ...head, following: true, at: 77 }, 0).place, 0); // the newest, whichever that is
});

test("a run comes out of its history, and what was in it is not taken twice", () => {
  const first = { ...opened(4), pieces: undefined };
  const side = sideOf({
    did: "history",
    session: "s",
    n: 9,
    pieces: PIECES,
    events: [first, stepped(1, [1], [2]), { did: "moved", at: 1, playing: false, length: 2 }],
  });
  assert.deepEqual([side.session, side.n, side.moments.length, side.source], ["s", 9, 2, "live"]);
  assert.equal(side.pieces.get(2), " two");
  assert.deepEqual(side.keys, {});
});

test("what is asked and what came of it are sentences", () => {
  const question = /** @type {const} */ ({ kind: "cell", session: "s", at: 1, answers: 3 });
  assert.match(questionSentence(question), /Which cell/);
  assert.match(questionSentence({ ...question, kind: "word", cell: 7 }), /cell 7/);
  const revealed = {
    ...question,
    tally: /** @type {[string, number][]} */ ([["4", 2]]),
    right: ["4", "5"],
    correct: 2,
  };
  assert.equal(
    revealedSentence(revealed, (cell) => `w${cell}`),
    "3 answers, 2 right. Written: “w4”, “w5”.",
  );
  assert.match(revealedSentence({ ...revealed, right: [] }, String), /Most chose cell 4/);
  assert.match(revealedSentence({ ...revealed, kind: "word", right: ["fox"] }, String), /It is “fox”/);
});

test("what came of a game is a sentence for who played it, who looked on, and who presents", () => {
  const game = /** @type {const} */ ({ kind: "schedule", session: "", at: 0, answers: 12 });
  const over = { ...game, world: "permutations:4", cells: 4, passes: 3, first: 0.75, best: 0.75, once: 3 / 32 };
  assert.match(questionSentence({ ...over, world: "permutations" }), /the numbers 1 to 4, each once, in 3 looks/);
  assert.equal(
    overSentence(over, { share: 0.5, place: 7 }),
    "Your schedule ends right in 50 %: place 7 of 12. The best of the class: 75 %. No schedule reaches more than 75 %.",
  );
  assert.equal(
    overSentence({ ...over, best: null }, { share: 0.75, place: 1 }),
    "Your schedule ends right in 75 %: place 1 of 12.",
  );
  assert.equal(overSentence({ ...over, first: null, best: null }, null), "");
  assert.match(standSentence(over), /^12 schedules. Everything in one look: 9 %/);
});
