import assert from "node:assert/strict";
import { test } from "node:test";

import { dropTask, noTask, prompts, takeTask } from "../../../../dllm/features/lab/task_file.js";

const SCORERS = { exact_match: "the same text", number: "the same number" };
const file = (/** @type {string} */ name, /** @type {string} */ text, size = text.length) => ({
  ...{ name, size },
  text: async () => text,
});

test("a task from a file is measured by its score, before the first sweep", async () => {
  const fields = { ...noTask(SCORERS), measure: "right" };
  assert.equal(fields.scorer, "exact_match");
  await takeTask(fields, file("sums.jsonl", '{"prompt": "1"}\n\n{"prompt": "2"}\n'));
  assert.deepEqual([fields.task_name, fields.measure, prompts(fields.task)], ["sums", "score", 2]);
  dropTask(fields, "right");
  assert.deepEqual([fields.task, fields.measure], ["", "right"]);
});

test("a file that is too large is a sentence, and nothing else changes", async () => {
  const fields = { ...noTask(SCORERS), measure: "right" };
  await takeTask(fields, file("huge.jsonl", "{}", 300 * 1024));
  assert.ok(fields.note.startsWith("huge.jsonl is too large"));
  assert.deepEqual([fields.task, fields.measure], ["", "right"]);
  await takeTask(fields, undefined); // the dialogue was closed
  assert.equal(fields.measure, "right");
});
