/** A task of one's own, taken from a file. Pure. */

import { t } from "../../assets/looks/language.js";

/** @typedef {{task: string, task_name: string, scorer: string, measure: string, note: string}} Own */

const MOST = 256 * 1024; // characters of a task that the server takes

/** What a sweep is begun with before a task is chosen.
 * @param {Record<string, string>} scorers
 * @returns {Omit<Own, "measure">}
 */
export function noTask(scorers) {
  return { task: "", task_name: "", scorer: Object.keys(scorers)[0] ?? "", note: "" };
}

/** How many prompts a task has.
 * @param {string} task
 */
export function prompts(task) {
  return task.split("\n").filter((line) => line.trim()).length;
}

/** Takes a task from a file; the sweep is then measured by its score.
 * @param {Own} fields
 * @param {{name: string, size: number, text: () => Promise<string>} | undefined} file
 */
export async function takeTask(fields, file) {
  if (!file) return;
  if (file.size > MOST) {
    fields.note = t("{name} is too large for the page: use unmask sweep in a terminal.", { name: file.name });
    return;
  }
  const task = await file.text();
  Object.assign(fields, { task, task_name: file.name.replace(/\.\w+$/, "") || "task", measure: "score", note: "" });
}

/** Puts a task away; what it was measured by is chosen again.
 * @param {Own} fields
 * @param {string} measure
 */
export function dropTask(fields, measure) {
  Object.assign(fields, { task: "", task_name: "", note: "", measure });
}
