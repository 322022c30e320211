/** Prompts of one's own with references, and the file of a sweep: both are chosen on this machine. */

import { into } from "../../assets/looks/fields.js";
import { t } from "../../assets/looks/language.js";
import { html, nothing } from "../../assets/vendor/lit-html.js";
import { options } from "./fields.js";
import { dropTask, prompts, takeTask } from "./task_file.js";

/** @typedef {import("./task_file.js").Own} Own */

/**
 * @param {Own} fields
 * @param {Record<string, string>} scorers
 * @param {string} usual the measure without a task
 * @param {() => void} changed
 */
export function ownTask(fields, scorers, usual, changed) {
  const choose = async (/** @type {File} */ file) => {
    await takeTask(fields, file);
    changed();
  };
  const drop = () => {
    dropTask(fields, usual);
    changed();
  };
  const names = Object.fromEntries(Object.keys(scorers).map((name) => [name, name.replaceAll("_", " ")]));
  return html`<fieldset class="lab-own">
    <legend>${t("Prompts of your own, with references")}</legend>
    <p class="lab-fine">
      ${t("A file with one line of JSON for each prompt:")}
      <code>{"prompt": "Sum: 71 + 43\\n", "reference": 114}</code>
    </p>
    <div class="lab-row flow">
      ${fileField(t("File"), ".jsonl,.json,.txt", choose)}
      <label
        >${t("Scorer")}<select title=${scorers[fields.scorer] ?? ""} @change=${into(fields, "scorer", changed)}>
          ${options(names, fields.scorer)}
        </select></label
      >
      ${fields.task ? html`<button type="button" @click=${drop}>${t("Use the prompts above instead")}</button>` : nothing}
    </div>
    <p class="lab-fine" aria-live="polite">
      ${fields.note || (fields.task ? t("{n} prompts of {name}.", { n: prompts(fields.task), name: fields.task_name }) : "")}
    </p>
  </fieldset>`;
}

/** A field that takes a file.
 * @param {string} label
 * @param {string} accept endings of names
 * @param {(file: File) => Promise<void> | void} take
 */
export function fileField(label, accept, take) {
  const choose = async (/** @type {any} */ { target }) => {
    const [file] = target.files;
    if (file) await take(file);
    target.value = ""; // the same file may be chosen again
  };
  return html`<label class="lab-file">${label}<input type="file" accept=${accept} @change=${choose} /></label>`;
}
