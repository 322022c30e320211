// Room that is kept for pieces of one word, so that none of them begins a line.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chain } from "../../../assets/stage/chains.js";

/** @param {string} text @param {string} [look] @param {boolean} [breaks] @returns {any} */
function face(text, look = "cell written", breaks = false) {
  return { text, look, sure: "", ticks: "", label: "", breaks };
}

const LEANS = "cell written joined";

test("the first piece of a word keeps room for all that follow, and each takes back what is before it", () => {
  const row = [face("go"), face("ing", LEANS), face(".", LEANS), face("The")];
  chain(row);
  const [go, ing, dot, the] = row;
  assert.ok(dot.before > 0.6 && dot.after === 0);
  assert.ok(ing.before > dot.before + 1.2); // three letters more
  assert.equal(ing.after, dot.before);
  assert.equal(go.after, ing.before);
  assert.deepEqual([go.before, the.before, the.after], [0, 0, 0]);
  const before = [...row];
  chain(row);
  assert.ok(row.every((one, i) => one === before[i])); // nothing new, nothing painted
});

test("a line break stays with its line, and what leans behind it begins a row of its own", () => {
  const row = [face("Wolf"), face("?", LEANS), face("⏎", "cell written blank", true), face("Tom", LEANS)];
  chain(row);
  const [wolf, mark, end] = row;
  assert.equal(end.after, 0);
  assert.equal(mark.after, end.before);
  assert.ok(end.before >= 1.6); // with its edges and the gap
  assert.ok(wolf.after > mark.after);
});

test("a chain that no line has room for is broken, and mended when it is short again", () => {
  const row = [face("a"), ...Array.from({ length: 12 }, () => face("bcd", LEANS))];
  chain(row);
  const apart = row.filter(({ look }) => look.endsWith(" apart"));
  assert.ok(apart.length > 1 && apart.length < 6);
  assert.ok(row.every((one) => /** @type {any} */ (one.after ?? 0) < 8));
  const short = row.slice(0, 2);
  chain(short);
  assert.equal(short[1]?.look, LEANS);
});

test("what is put away behind the end of a text asks for no room", () => {
  const row = [face("∎", "cell written end"), face(",", "cell written beyond rest joined")];
  chain(row);
  assert.equal(row[0].after, 0);
});
