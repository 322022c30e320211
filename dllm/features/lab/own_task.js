/** Prompts of one's own with references, and the file of a sweep: both are chosen on this machine. */

import { into } from "../../assets/looks/fields.js";
import { t } from "../../assets/looks/language.js";
import { html, nothing } from "../../assets/vendor/lit-html.js";
import { options } from "./fields.js";
import { dropTask, prompts, takeTask } from "./task_file.js";

/** @typedef {import("./task_file.js").Own} Own */

/**
 * @param {Own} wish
 * @param {Record<string, string>} scorers
 * @param {string} usual the measure without a task
 * @param {() => void} changed
 */
export function ownTask(wish, scorers, usual, changed) {
  const choose = async (/** @type {any} */ { target }) => {
    await takeTask(wish, target.files[0]);
    target.value = "";
    changed();
  };
  const drop = () => {
    dropTask(wish, usual);
    changed();
  };
  const names = Object.fromEntries(Object.keys(scorers).map((name) => [name, name.replaceAll("_", " ")]));
  return html`<fieldset class="lab-own">
    <legend>${t("Prompts of your own, with references")}</legend>
    <p class="lab-fine">
      ${t("A file with one line of JSON for each prompt:")}
      <code>{"prompt": "Sum: 71 + 43\\n", "reference": 114}</code>
    </p>
    <div class="lab-row">
      <label>${t("File")}<input type="file" accept=".jsonl,.json,.txt" @change=${choose} /></label>
      <label
        >${t("Scorer")}<select title=${scorers[wish.scorer] ?? ""} @change=${into(wish, "scorer", changed)}>
          ${options(names, wish.scorer)}
        </select></label
      >
      ${wish.task ? html`<button type="button" @click=${drop}>${t("Use the prompts above instead")}</button>` : nothing}
    </div>
    <p class="lab-fine" aria-live="polite">
      ${wish.note || (wish.task ? t("{n} prompts of {name}.", { n: prompts(wish.task), name: wish.task_name }) : "")}
    </p>
  </fieldset>`;
}

/** A button that opens the file of a sweep.
 * @param {(text: string) => void} open
 */
export function savedSweep(open) {
  const choose = async (/** @type {any} */ { target }) => {
    const text = await target.files[0]?.text();
    target.value = "";
    if (text) open(text);
  };
  return html`<label class="lab-open-file"
    >${t("Open a sweep that you saved")}<input type="file" accept=".jsonl" @change=${choose}
  /></label>`;
}
