/** A sweep on the page: chosen, begun, watched as its points arrive, stopped, gone on with, and taken away. */

import { colour } from "../../assets/looks/dom.js";
import { into, onSubmit } from "../../assets/looks/fields.js";
import { t } from "../../assets/looks/language.js";
import { openOrder } from "../../assets/stage/order.js";
import { html, nothing, render } from "../../assets/vendor/lit-html.js";
import { drawChart } from "../../assets/views/plotly.js";
import { adviceSentence } from "./advice.js";
import { ask } from "./ask.js";
import { ACROSS, AXES, comparable, traces } from "./chart.js";
import { modelField, numberField, options } from "./fields.js";
import { fileField, ownTask } from "./own_task.js";
import { progress } from "./progress.js";
import { SecondSweep } from "./second.js";
import { pointTable } from "./table.js";
import { noTask } from "./task_file.js";
import { pickedTexts } from "./texts.js";

/** @typedef {Record<string, any>} Row */

const EVERY = 700; // ms between two looks
const INKS = ["side-0", "mark", "doubt", "side-1", "accent", "ink-2"];
const KEPT = "unmask-sweep";

/** Whole numbers at every tick: a 2 that means 20 is read by nobody. */
const TICKS = [0.01, 0.1, 1, 10, 100, 1000].flatMap((ten) => [ten, 2 * ten, 5 * ten]);

export class SweepPanel {
  node = document.createElement("div");
  id = "";
  /** @type {Row | null} the sweep as the server last described it */
  row = null;
  status = t("Each decoder is tried at five settings, on every prompt.");
  /** @type {{says: string, order: Row | null}} which decoder to take, and the run that would try it */
  advice = { says: "", order: null };
  picked = ""; // the decoder whose texts are listed
  second = new SecondSweep(() => this.show());

  /**
   * @param {import("./lab.js").Offer} offer
   * @param {string} plotly where it is served
   */
  constructor(offer, plotly) {
    this.offer = offer;
    this.plotly = plotly;
    this.node.className = "lab-sweep";
    this.chosen = new Set(
      Object.keys(offer.decoders).filter((name) => offer.decoders[name]?.usual && name !== "wino" && name !== "dream"),
    );
    this.fields = {
      ...{ model: "denoiser", length: 64, seeds: 1, prompts: offer.prompts.slice(0, 8).join("\n---\n") },
      ...{ measure: Object.keys(offer.measures)[0] ?? "", across: Object.keys(ACROSS)[0] ?? "", looks: 16 },
      ...noTask(offer.scorers),
    };
    this.show();
    const before = sessionStorage.getItem(KEPT);
    if (before) void this.look(before, true);
  }

  async begin() {
    const { model, length, seeds, measure, prompts, task, task_name, scorer } = this.fields;
    const counted = !/^(denoiser|twin|fast)$/.test(model.trim()); // empty prompts are for counted worlds
    const texts = prompts
      .split(/^---$/m)
      .map((text) => text.trim())
      .filter((text) => text || counted);
    const decoders = Object.keys(this.offer.decoders).filter((name) => this.chosen.has(name));
    await this.trying(async () => {
      const subject = task ? { task, task_name, scorer } : { prompts: texts };
      const fields = { model: model.trim(), decoders: decoders.map((preset) => ({ preset })), ...subject };
      const begun = await ask("lab", { ...fields, seeds, length, measure });
      await this.look(begun.id);
    });
  }

  /** Do something; where the server refuses, its sentence is shown.
   * @param {() => Promise<void>} act
   */
  async trying(act) {
    try {
      await act();
    } catch (error) {
      this.say(/** @type {Error} */ (error).message);
    }
  }

  turn = 0; // of those that look: the latest is the only one

  /** Look until it no longer runs.
   * @param {string} id
   * @param {boolean} quietly where an old one is gone, nothing is shown
   */
  async look(id, quietly = false) {
    if (id !== this.id) {
      Object.assign(this, { id, picked: "", advice: { says: "", order: null } });
      this.second.clear();
    }
    const turn = ++this.turn;
    for (let first = true; turn === this.turn; first = false) {
      try {
        const row = await ask(`lab/${id}${this.row ? `?measure=${this.fields.measure}` : ""}`);
        if (turn !== this.turn) return; // an answer that is late would show what was
        if (row.done !== this.row?.done) this.advice = { says: "", order: null }; // it was of fewer texts
        this.fields.measure = row.measure;
        this.row = row;
      } catch (error) {
        sessionStorage.removeItem(KEPT);
        if (!quietly || !first) this.say(/** @type {Error} */ (error).message);
        return;
      }
      sessionStorage.setItem(KEPT, id);
      this.say(progress(this.row ?? {}));
      await this.draw();
      if (this.row?.state !== "running") return;
      await new Promise((resolve) => setTimeout(resolve, EVERY));
    }
  }

  /** Open the file of a sweep, as it was saved here or by `unmask sweep`.
   * @param {File} file
   */
  openFile(file) {
    return this.trying(async () => {
      const { id } = await ask("lab/open", { file: await file.text() });
      await this.look(id);
      this.fields.measure = this.row?.measure ?? this.fields.measure;
      await this.draw();
      this.show();
    });
  }

  /** @param {"stop" | "resume"} deed */
  act(deed) {
    return this.trying(async () => {
      await ask(`lab/${this.id}`, { do: deed });
      await this.look(this.id); // once, if it was stopped
    });
  }

  async advise() {
    const { measure, looks } = this.fields;
    try {
      const found = await ask(`lab/${this.id}`, { do: "advise", measure, passes: looks });
      this.advice = { says: adviceSentence(found, measure), order: found.order };
    } catch (error) {
      this.advice = { says: /** @type {Error} */ (error).message, order: null };
    }
    this.show();
  }

  /** @param {string} status */
  say(status) {
    this.status = status;
    this.show();
  }

  show() {
    const { row, fields } = this;
    const { state = "", done = 0, count = 1 } = row ?? {};
    if (row) Object.assign(this.node.dataset, { state, done: String(done) });
    render(
      html`<form @submit=${onSubmit(() => void this.begin())}>
          <fieldset>
            <legend>${t("Decoders")}</legend>
            <div class="lab-ticks">
              ${Object.entries(this.offer.decoders).map(([name, decoder]) => this.tick(name, decoder))}
            </div>
          </fieldset>
          <label
            >${t("Prompts, with a line of three dashes between them")}<textarea
              rows="5"
              spellcheck="false"
              .value=${fields.prompts}
              @input=${into(fields, "prompts")}
            ></textarea>
          </label>
          <details ?open=${Boolean(fields.task)}>
            <summary>${t("Measure, model, seeds, prompts of your own")}</summary>
            <label
              >${t("Measure by")}<select @change=${into(fields, "measure")}>
                ${options(this.offer.measures, fields.measure)}
              </select></label
            >
            <div class="lab-row flow">
              ${modelField(fields)} ${numberField(t("Words to write"), fields, "length", [1, 512])}
              ${numberField(t("Seeds"), fields, "seeds", [1, 20])}
            </div>
            ${ownTask(fields, this.offer.scorers, Object.keys(this.offer.measures)[0] ?? "", () => this.show())}
            ${fileField(t("Open a sweep that you saved"), ".jsonl", (file) => this.openFile(file))}
          </details>
          <div class="lab-row flow">
            <button type="submit" class="primary">${t("Compare")}</button>
            <button type="button" ?hidden=${state !== "running"} @click=${() => void this.act("stop")}>
              ${t("Stop")}
            </button>
            <button
              type="button"
              ?hidden=${!["stopped", "failed"].includes(state) || done === count}
              @click=${() => void this.act("resume")}
            >
              ${t("Go on")}
            </button>
          </div>
        </form>
        <progress max=${count} value=${done} aria-label=${t("how much of the sweep is done")}></progress>
        <p role="status" class="lab-status">${this.status}</p>
        ${row && done ? this.found(row) : nothing}`,
      this.node,
    );
  }

  /**
   * @param {string} name
   * @param {import("./lab.js").DecoderRow} decoder
   */
  tick(name, { title, says }) {
    const choose = (/** @type {any} */ { target }) =>
      target.checked ? this.chosen.add(name) : this.chosen.delete(name);
    return html`<label title=${t(says)}
      ><input type="checkbox" value=${name} .checked=${this.chosen.has(name)} @change=${choose} />${t(title)}</label
    >`;
  }

  /** @param {Row} row */
  found(row) {
    const { fields, advice } = this;
    const draw = () => void this.draw();
    return html`<div class="lab-found">
      <div class="lab-row flow">
        <label
          >${t("Quality")}<select @change=${into(fields, "measure", () => this.remeasure())}>
            ${options(this.offer.measures, fields.measure)}
          </select></label
        ><label
          >${t("against")}<select @change=${into(fields, "across", draw)}>
            ${options(ACROSS, fields.across)}
          </select></label
        >
      </div>
      <div class="lab-chart"></div>
      <form class="lab-row flow" @submit=${onSubmit(() => void this.advise())}>
        ${numberField(t("Which decoder for at most so many looks?"), fields, "looks", [1, 4096])}
        <button type="submit">${t("Advise")}</button>
      </form>
      <p class="lab-advice">
        ${advice.says}
        ${
          advice.order
            ? html`<button type="button" @click=${() => openOrder(advice.order ?? {})}>
                ${t("Use it on the stage")}
              </button>`
            : nothing
        }
      </p>
      ${pointTable(row.points, row.measure, { counted: row.counted, alone: row.alone })}
      ${this.picked ? pickedTexts(this.picked, row.runs) : nothing}
      ${row.points.length ? [this.second.part(this.id, fields.measure), this.away(row)] : nothing}
    </div>`;
  }

  /** Another measure: the advice was of the old one, and the server compares the decoders anew. */
  remeasure() {
    this.advice = { says: "", order: null };
    this.second.clear();
    void this.look(this.id);
  }

  /** @param {Row} row */
  away({ paragraph }) {
    return html`<p class="lab-away flow">
      <a href=${new URL(`lab/${this.id}/table`, document.baseURI).href} download="sweep.csv">${t("All texts as CSV")}</a
      ><a href=${new URL(`lab/${this.id}/json`, document.baseURI).href} download="sweep.json">${t("Points as JSON")}</a
      ><a href=${new URL(`lab/${this.id}/file`, document.baseURI).href} download="sweep.sweep.jsonl"
        >${t("Save the sweep")}</a
      >
      ${["PNG", "SVG"].map(
        (kind) =>
          html`<button type="button" @click=${() => void this.save(kind.toLowerCase())}>
            ${t("Chart as {kind}", { kind })}
          </button>`,
      )}
      <button type="button" @click=${() => void navigator.clipboard.writeText(paragraph)}>
        ${t("Copy a paragraph about it")}
      </button>
      <span class="lab-paragraph">${paragraph}</span>
    </p>`;
  }

  /** @returns {any} the chart's box, once there is something to draw */
  get chart() {
    return this.node.querySelector(".lab-chart");
  }

  /** @param {string} format */
  async save(format) {
    const Plotly = await this.draw();
    await Plotly?.downloadImage(this.chart, { format, width: 1100, height: 620, filename: "sweep" });
  }

  async draw() {
    const { row, chart } = this;
    if (!row?.points.length || !chart) return null;
    const { measure } = this.fields;
    const across = /** @type {import("./chart.js").Across} */ (this.fields.across);
    const grid = { gridcolor: colour("line"), linecolor: colour("line") };
    const lines = traces(comparable(row.points, row.counted), measure, across, INKS.map(colour), row.ceiling);
    const Plotly = await drawChart(chart, this.plotly, lines, {
      margin: { l: 56, r: 12, t: 12, b: 48 },
      height: 420,
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
      hovermode: "closest",
      xaxis: { title: { text: t(ACROSS[across]) }, type: "log", tickvals: TICKS, ...grid },
      yaxis: {
        title: { text: t(AXES[measure] ?? "") },
        ...grid,
        zerolinecolor: colour("line"),
        rangemode: "tozero",
        tickformat: measure === "surprise" ? "" : ".0%",
      },
    });
    if (!chart.dataset.points) chart.on("plotly_click", (/** @type {any} */ { points }) => this.pick(points[0]));
    chart.dataset.points = String(row.points.length);
    return Plotly;
  }

  /** @param {{customdata?: string} | undefined} point of the chart, which a person has clicked */
  pick(point) {
    if (!point?.customdata) return;
    this.picked = point.customdata;
    this.show();
  }
}
