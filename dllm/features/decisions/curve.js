/** Is 85 % really 85 %? How often answers were right, by how sure they were, and from where on to act on them. */

import { colour } from "../../assets/looks/dom.js";
import { into } from "../../assets/looks/fields.js";
import { t } from "../../assets/looks/language.js";
import { html, nothing, render } from "../../assets/vendor/lit-html.js";
import { drawChart } from "../../assets/views/plotly.js";
import { ask } from "./decisions.js";
import { percent } from "./question.js";

/** @typedef {[value: number, low: number, high: number]} Ends */
/** @typedef {{count: number, sure: number, right: Ends}} Bin */
/** @typedef {{wanted: number, above?: number, answered?: number, wrong?: Ends}} Gate */
/** @typedef {{count: number, accuracy: Ends, error: number, bins: Bin[], gates: Gate[], commonest: number, model: string, twin?: {accuracy: Ends, error: number}}} Measured */

const MOST = 512 * 1024; // characters of a file that the server takes
const USUAL = 0.02; // wrong answers that are wanted at most, at first

export class Curve {
  node = document.createElement("section");
  kept = { wanted: USUAL };
  /** @type {Measured | null} */
  found = null;
  status = "";
  name = ""; // of the file that is shown

  /**
   * @param {() => string} model the model that reads a file
   * @param {string} plotly where Plotly is served
   */
  constructor(model, plotly) {
    this.model = model;
    this.plotly = plotly;
    this.node.className = "decisions-curve";
    this.show();
  }

  /** @param {File} file */
  async open(file) {
    if (file.size > MOST) return this.say(t("This file is too large for the page: at most 500 questions."));
    this.say(t("Asking the questions of {name} …", { name: file.name }));
    const text = await file.text();
    await this.take(() => ask("decisions/curve", { model: this.model(), file: text }), file.name);
  }

  /**
   * @param {() => Promise<Measured>} from
   * @param {string} name
   */
  async take(from, name) {
    try {
      this.found = await from();
      this.name = name;
      this.say("");
      await this.draw();
    } catch (error) {
      this.say(/** @type {Error} */ (error).message);
    }
  }

  /** @param {string} status */
  say(status) {
    this.status = status;
    this.show();
  }

  show() {
    const { found } = this;
    const choose = async (/** @type {any} */ { target }) => {
      const [file] = target.files;
      target.value = ""; // the same file may be chosen again
      if (file) await this.open(file);
    };
    render(
      html`<h3>${t("Is 85 % really 85 %?")}</h3>
        <div class="decisions-chart" role="img" aria-label=${found ? this.spoken(found) : ""}></div>
        ${found ? [this.gate(found), this.summary(found)] : nothing}
        <label class="decisions-file"
          >${t("My own answered questions (a JSONL file)")}<input
            type="file"
            accept=".jsonl,.json,.txt"
            @change=${choose}
        /></label>
        <p class="fine">
          ${t("A line each:")}
          <code
            >{"state": "…", "questions": {"who": {"type": "choice", "criteria": {"Mia": null, "Tom": null}}}, "answers":
            {"who": "Tom"}}</code
          >
        </p>
        <p role="status" class="fine">${this.status}</p>`,
      this.node,
    );
    this.node.dataset.state = found && !this.status ? this.name || "measured" : "";
  }

  /** The chart in words.
   * @param {Measured} found
   */
  spoken({ bins }) {
    const rows = bins.map(({ sure, right, count }) =>
      t("{sure} sure: {right} of {count} right", { sure: percent(sure), right: percent(right[0]), count }),
    );
    return rows.join("; ");
  }

  /** @param {Measured} found */
  gate({ gates }) {
    const here = gates.find(({ wanted }) => wanted === Number(this.kept.wanted));
    const change = into(this.kept, "wanted", () => {
      this.show();
      void this.draw();
    });
    const choice = html`<select aria-label=${t("wrong answers at most")} @change=${change}>
      ${gates.map(
        ({ wanted }) => html`<option value=${wanted} ?selected=${wanted === here?.wanted}>${percent(wanted)}</option>`,
      )}
    </select>`;
    return html`<p class="decisions-gate">
      ${t("For at most")} ${choice} ${t("wrong,")}
      ${
        here?.above === undefined
          ? t("no threshold is high enough.")
          : t("act only from {above} on. That answers {n} of 100 questions; the others wait for a person.", {
              above: percent(here.above),
              n: Math.round(100 * (here.answered ?? 0)),
            })
      }
    </p>`;
  }

  /** @param {Measured} found */
  summary({ accuracy, error, count, commonest, twin, model }) {
    const [right, low, high] = /** @type {[string, string, string]} */ (accuracy.map(percent));
    return html`<p class="fine">
      ${
        this.name
          ? t("{count} questions of {name}, answered by {model}: {right} right ({low} to {high}).", {
              count,
              name: this.name,
              model,
              right,
              low,
              high,
            })
          : t("{count} questions about stories that it never saw: {right} right ({low} to {high}).", {
              count,
              right,
              low,
              high,
            })
      }
      ${t("What it says and what is right are {points} points apart on average.", { points: (100 * error).toFixed(1) })}
      ${
        twin
          ? t("Its twin is right in {right}; the character named most often in {often}.", {
              right: percent(twin.accuracy[0]),
              often: percent(commonest),
            })
          : t("Always the commonest answer: {often}.", { often: percent(commonest) })
      }
      ${t("The threshold was chosen on these answers: check it on others.")}
    </p>`;
  }

  async draw() {
    const box = this.node.querySelector(".decisions-chart");
    if (!this.found || !(box instanceof HTMLElement)) return;
    const { bins, gates } = this.found;
    const above = gates.find(({ wanted }) => wanted === Number(this.kept.wanted))?.above;
    const grid = { gridcolor: colour("line"), linecolor: colour("line"), tickformat: ".0%" };
    const most = Math.max(...bins.map(({ count }) => count));
    const line = { x: [0, 1], y: [0, 1], mode: "lines", name: t("as it should be"), hoverinfo: "skip" };
    const dots = {
      x: bins.map(({ sure }) => sure),
      y: bins.map(({ right }) => right[0]),
      error_y: {
        type: "data",
        array: bins.map(({ right }) => right[2] - right[0]),
        arrayminus: bins.map(({ right }) => right[0] - right[1]),
        width: 3,
      },
      mode: "markers",
      name: t("answers: the larger, the more; with 95 % intervals"),
      marker: { color: colour("accent"), size: bins.map(({ count }) => 7 + 9 * Math.sqrt(count / most)) },
      text: bins.map(({ count }) => t("{count} answers", { count })),
    };
    const shape = { type: "rect", x0: above, x1: 1.02, y0: 0, y1: 1, yref: "paper", line: { width: 0 } };
    await drawChart(box, this.plotly, [{ ...line, line: { dash: "dot", color: colour("ink-2"), width: 1 } }, dots], {
      margin: { l: 52, r: 12, t: 12, b: 44 },
      height: 280,
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
      xaxis: {
        title: { text: t("how sure it says it is") },
        range: [Math.min(0.3, ...bins.map(({ sure }) => sure - 0.05)), 1.02],
        ...grid,
      },
      yaxis: { title: { text: t("how often it was right") }, range: [0, 1.04], ...grid },
      shapes: above === undefined ? [] : [{ ...shape, fillcolor: colour("mark"), opacity: 0.12 }],
    });
    box.dataset.points = String(bins.length);
  }
}
