// A raced branch: its guesses come under its own name, and it follows what becomes of its run's branches.
import assert from "node:assert/strict";
import { test } from "node:test";
import { followed, racedOf } from "../../../assets/wire/raced.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened, stepped } from "../runs.js";

const fork = { did: "branched", session: "s", n: 4, head: "2", left: "1", at: 1, heads: { 1: 2, 2: 1 } };

/** @returns {any} */
function live() {
  return [opened(), stepped(1, [1], [2]), stepped(2, [2], [2]), fork].reduce(reduce, {
    sides: [emptySide(), emptySide()],
  });
}

test("an answer about another branch goes to the side where it is raced, and no other", () => {
  const stage = live();
  const raced = racedOf(stage.sides[0], "1");
  assert.equal(raced?.moments.length, 3);
  assert.equal(racedOf(stage.sides[0], "7"), null);
  const about = { candidates: [[2, " two", 0.8]], entropy: 0.5, margin: 0.6 };
  const answer = { did: "peeked", session: "s", n: 5, cell: 1, at: 2, about, head: "1" };
  const [own, other] = reduce({ sides: [stage.sides[0], /** @type {any} */ (raced)] }, answer).sides;
  assert.deepEqual([own?.peeks.size, other?.peeks.size], [0, 1]);
  const present = reduce({ sides: [stage.sides[0], /** @type {any} */ (raced)] }, { ...answer, head: "" });
  assert.deepEqual([present.sides[0]?.peeks.size, present.sides[1]?.peeks.size], [1, 0]);
});

test("a branch that has another name keeps its run, and one that is gone has none", () => {
  const raced = /** @type {any} */ (racedOf(live().sides[0], "1"));
  assert.equal(followed(raced, { 1: 2, 2: 1 }, { 1: 2, 2: 3 }), raced);
  const renamed = followed(raced, { 1: 2, 2: 1 }, { blue: 2, 2: 1 });
  assert.deepEqual([renamed.branch, renamed.title, renamed.of], ["blue", "Branch blue", "s"]);
  assert.equal(followed(raced, { 1: 2, 2: 1 }, { 2: 1 }).of, "");
});
