/** The fields that the parts of the Lab have in common. */

import { into } from "../../assets/looks/fields.js";
import { t } from "../../assets/looks/language.js";
import { html } from "../../assets/vendor/lit-html.js";

const MODELS = ["denoiser", "fast", "permutations", "sudoku4", "balanced", "smallsums"];

/** A model by name, with those that open at once to choose from.
 * @param {{model: string}} fields
 */
export function modelField(fields) {
  return html`<label
    >${t("Model")}<input list="lab-models" maxlength="300" .value=${fields.model} @input=${into(fields, "model")}
  /></label>`;
}

/** The names that `modelField` offers, once on a page. */
export function modelNames() {
  return html`<datalist id="lab-models">${MODELS.map((name) => html`<option value=${name}></option>`)}</datalist>`;
}

/**
 * @template {object} T
 * @param {string} title
 * @param {T} fields
 * @param {keyof T} name
 * @param {[number, number]} range
 */
export function numberField(title, fields, name, [min, max]) {
  return html`<label
    >${title}<input type="number" min=${min} max=${max} .value=${String(fields[name])} @input=${into(fields, name)}
  /></label>`;
}

/**
 * @param {Record<string, string>} rows what to choose from: its value and its words
 * @param {string} chosen
 */
export function options(rows, chosen) {
  return Object.entries(rows).map(
    ([value, text]) => html`<option value=${value} ?selected=${value === chosen}>${t(text)}</option>`,
  );
}
