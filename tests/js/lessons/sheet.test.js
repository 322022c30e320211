// Every lesson on paper, in each language: nothing of it is missing, and no answer stands before the teacher's page.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { sheet } from "../../../assets/lessons/sheet.js";
import { onPaper, questionOf } from "../../../assets/lessons/steps.js";

/** @typedef {import("../../../assets/lessons/sheet.js").Piece} Piece */
/** @typedef {{words: Record<string, string>, lessons: import("../../../assets/lessons/lessons.js").LessonRow[]}} Course */

const root = fileURLToPath(new URL("../../../", import.meta.url));
const python = [`${root}.venv/bin/python`].find(existsSync) ?? "python3";
const source = `import json
from ui.lessons import languages, lessons, words
print(json.dumps({name: {"words": words(name), "lessons": [one.to_dict() for one in lessons(name)]} for name in languages()}))`;
/** @type {Record<string, Course>} as the page gets them: read from the lessons' files */
const courses = JSON.parse(execFileSync(python, ["-c", source], { cwd: root, encoding: "utf8" }));

/** @param {Piece | string} tree
 * @returns {string}
 */
const text = (tree) => (typeof tree === "string" ? tree : tree.children.map(text).join(""));

/** @param {Piece | string} tree
 * @param {(piece: Piece) => boolean} wanted
 * @returns {Piece[]}
 */
const all = (tree, wanted) =>
  typeof tree === "string"
    ? []
    : [...(wanted(tree) ? [tree] : []), ...tree.children.flatMap((child) => all(child, wanted))];

/** @param {Piece} tree
 * @param {string} name
 */
const ofClass = (tree, name) => all(tree, ({ props }) => props.className === name);

test("both languages have thirteen lessons to print", () => {
  assert.deepEqual(
    Object.entries(courses).map(([name, { lessons }]) => [name, lessons.length]),
    [
      ["en", 13],
      ["it", 13],
    ],
  );
});

for (const [name, { words, lessons }] of Object.entries(courses))
  lessons.forEach((row, at) =>
    test(`the sheet of ${name}/${row.name} is whole`, () => {
      const tree = sheet(row, at + 1, words);
      const [answers] = tree.children.slice(-1);
      assert.ok(answers && typeof answers !== "string" && answers.props.className === "sheet-answers");
      const work = { ...tree, children: tree.children.slice(0, -1) };
      const page = text(work);
      assert.ok(!`${page}${text(answers)}`.includes("undefined"));
      for (const word of ["name", "date", "why"]) assert.ok(page.includes(words[word] ?? "?"), word);
      assert.ok(page.includes(row.title));
      assert.ok(text(answers).includes(row.claim) && !page.includes(row.claim), "the claim tells the answer");

      const questions = row.blocks.filter(({ kind }) => kind === "predict" || kind === "check");
      const boxes = all(work, ({ tag }) => tag === "li").map(text);
      assert.deepEqual(
        boxes,
        questions.flatMap((block) => block.answers),
      );
      for (const { question = "", answers: choices = [], right = 0, replies = [] } of questions) {
        const reply = onPaper(replies[right] ?? "?");
        assert.ok(page.includes(question) && !page.includes(reply) && !reply.includes("{"), question);
        for (const part of [question, choices[right] ?? "?", reply]) assert.ok(text(answers).includes(part), part);
      }

      const plays = row.blocks.filter(({ kind }) => kind === "play");
      assert.deepEqual(
        ofClass(work, "sheet-play").map((play) => [text(play), ofClass(play, "sheet-line").length]),
        plays.map(({ run = "" }) => [`${words.play} ${row.runs[run]?.button}. ${words.saw}:`, 2]),
      );

      const parts = row.blocks.flatMap((block) => [...(block.parts ?? []), ...(block.paragraphs ?? []).flat()]);
      for (const part of parts) {
        assert.ok(page.includes(part.handle ? `${part.value}${part.unit}` : (part.text ?? "?")), JSON.stringify(part));
        if (part.link) assert.ok(page.includes(`(${part.link.slice("https://".length)})`), part.link);
      }
      const live = all(tree, ({ tag, props }) => ["button", "input", "details"].includes(tag) || "role" in props);
      assert.deepEqual(live, []);
    }),
  );

test("the list of lessons asks each lesson's first question, and never tells its claim", () => {
  for (const { lessons } of Object.values(courses))
    for (const { blocks, claim } of lessons) {
      assert.ok(/\?$/.test(questionOf(blocks)), claim);
      assert.notEqual(questionOf(blocks), claim);
    }
});

test("text of a lesson is text on its sheet, and never markup", () => {
  const row = { name: "x", title: "<b>t</b>", claim: "c.", blocks: [], runs: {}, language: "en" };
  const [heading] = all(sheet(row, 1, {}), ({ tag }) => tag === "h1");
  assert.deepEqual(heading?.children, ["<b>t</b>"]);
});
