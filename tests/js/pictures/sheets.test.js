// What a lens has answered, as a picture: every number where it belongs, and words that are only text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { answerSvg, within, wrapped } from "../../../assets/pictures/sheets.js";

const COLOURS = { paper: "#fff", ink: "#000", "ink-2": "#555", line: "#ddd", accent: "#00f", doubt: "#a00" };

test("a sentence is broken between words, and a name that has no room is cut", () => {
  assert.deepEqual(wrapped("one two three four", 9), ["one two", "three", "four"]);
  assert.equal(within("short", 200, 20), "short");
  assert.equal(within("a name that is far too long", 100, 20), "a name th…");
});

test("a table as wide and as tall as it gets stays on the page, and text of a model is only text", () => {
  const columns = Array.from({ length: 16 }, (_, i) => `<b>${i}`);
  const rows = columns.map((name, i) => ({
    name,
    cells: columns.map((_, k) => ({ text: i === k ? "" : "÷86", ink: "doubt", tint: k / 16 })),
  }));
  const svg = answerSvg({ title: "Which words clash?", says: ["a ".repeat(200)], columns, rows, note: "n" }, COLOURS);
  assert.equal((svg.match(/÷86/g) ?? []).length, 240);
  assert.equal(svg.includes("<b>"), false);
  for (const [, name, value] of svg.matchAll(/ (x|y)="([\d.-]+)"/g)) {
    const most = name === "x" ? 1920 : 1080;
    assert.ok(Number(value) >= 0 && Number(value) <= most, `${name} ${value}`);
  }
});

test("a bar is as long as the share that it shows", () => {
  const row = (/** @type {number} */ bar) => ({ name: "Without “a”", cells: [{ text: "", bar }] });
  const answer = { title: "t", says: [], columns: ["c"], rows: [row(1), row(0.25)], note: "" };
  const [full, part] = [...answerSvg(answer, COLOURS).matchAll(/width="([\d.]+)"[^>]*opacity/g)].map(([, w]) =>
    Number(w),
  );
  assert.equal(part, (full ?? 0) / 4);
});
