/** A second saved sweep beside the one that is shown: each decoder that both have, and the difference with its interval. */

import { t } from "../../assets/looks/language.js";
import { html, nothing } from "../../assets/vendor/lit-html.js";
import { ask } from "./ask.js";
import { AXES } from "./chart.js";
import { apart, signed, signedEnds, worth } from "./estimates.js";
import { fileField } from "./own_task.js";

/** @typedef {import("./chart.js").Ends} Ends */
/** @typedef {{decoder: string, values: [number, number], passes: [number, number], difference: Ends}} Pair */

export class SecondSweep {
  /** @type {{measure: string, rows: Pair[]} | null} */
  found = null;
  note = "";

  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
  }

  /**
   * @param {string} id of the sweep that is shown
   * @param {string} measure
   * @param {File} file
   */
  async take(id, measure, file) {
    try {
      this.found = await ask(`lab/${id}/beside?measure=${measure}`, { file: await file.text() });
      this.note = t("Here: {name}.", { name: file.name });
    } catch (error) {
      this.found = null;
      this.note = /** @type {Error} */ (error).message;
    }
    this.changed();
  }

  /** Another sweep or measure is shown: what was compared was of the old one. */
  clear() {
    this.found = null;
    this.note = "";
  }

  /**
   * @param {string} id
   * @param {string} measure
   */
  part(id, measure) {
    return html`<details class="lab-second">
      <summary>${t("Compare with another saved sweep")}</summary>
      ${fileField(t("Its file"), ".jsonl", (file) => this.take(id, measure, file))}
      <p class="lab-fine" role="status">${this.note}</p>
      ${this.found ? table(this.found.rows, this.found.measure) : nothing}
    </details>`;
  }
}

/**
 * @param {Pair[]} rows
 * @param {string} measure
 */
function table(rows, measure) {
  return html`<div class="lab-scroll" tabindex="0" role="region" aria-label=${t("two sweeps compared")}>
      <table class="lab-points lab-pairs">
        <thead>
          <tr>
            <th scope="col">${t("decoder")}</th>
            <th scope="col">${t(AXES[measure] ?? measure)}</th>
            <th scope="col">
              ${measure === "surprise" ? t("second less first, nats") : t("second less first, points")}
            </th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ({ decoder, values: [a, b], passes: [c, d], difference }) =>
              html`<tr>
                <th scope="row">
                  <b>${decoder}</b><span>${t("{a} and {b} looks", { a: c.toFixed(1), b: d.toFixed(1) })}</span>
                </th>
                <td>${t("{a} and {b}", { a: worth(a, measure), b: worth(b, measure) })}</td>
                <td>
                  ${signed(difference[0], measure)}<span>${signedEnds(difference, measure)}</span>
                  <span>${apart(difference) ? nothing : t("no difference seen")}</span>
                </td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <p class="lab-fine">${t("On the prompts that both sweeps have, with intervals of 95 %, each for itself.")}</p>`;
}
