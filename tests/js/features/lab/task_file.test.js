import assert from "node:assert/strict";
import { test } from "node:test";

import { dropTask, noTask, prompts, takeTask } from "../../../../dllm/features/lab/task_file.js";

const SCORERS = { exact_match: "the same text", number: "the same number" };
const file = (/** @type {string} */ name, /** @type {string} */ text, size = text.length) => ({
  ...{ name, size },
  text: async () => text,
});

test("a task from a file is measured by its score, before the first sweep", async () => {
  const wish = { ...noTask(SCORERS), measure: "right" };
  assert.equal(wish.scorer, "exact_match");
  await takeTask(wish, file("sums.jsonl", '{"prompt": "1"}\n\n{"prompt": "2"}\n'));
  assert.deepEqual([wish.task_name, wish.measure, prompts(wish.task)], ["sums", "score", 2]);
  dropTask(wish, "right");
  assert.deepEqual([wish.task, wish.measure], ["", "right"]);
});

test("a file that is too large is a sentence, and nothing else changes", async () => {
  const wish = { ...noTask(SCORERS), measure: "right" };
  await takeTask(wish, file("huge.jsonl", "{}", 300 * 1024));
  assert.ok(wish.note.startsWith("huge.jsonl is too large"));
  assert.deepEqual([wish.task, wish.measure], ["", "right"]);
  await takeTask(wish, undefined); // the dialogue was closed
  assert.equal(wish.measure, "right");
});
