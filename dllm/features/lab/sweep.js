/** A sweep on the page: chosen, begun, watched as its points arrive, stopped, gone on with, and taken away. */

import { colour } from "../../assets/looks/dom.js";
import { into, onSubmit } from "../../assets/looks/fields.js";
import { t } from "../../assets/looks/language.js";
import { openOrder } from "../../assets/stage/order.js";
import { html, nothing, render } from "../../assets/vendor/lit-html.js";
import { drawChart } from "../../assets/views/plotly.js";
import { ask } from "./ask.js";
import { ACROSS, AXES, span, traces } from "./chart.js";
import { modelField, numberField, options } from "./fields.js";

/** @typedef {Record<string, any>} Row */

const EVERY = 700; // ms between two looks
const INKS = ["side-0", "mark", "doubt", "side-1", "accent", "ink-2"];
const KEPT = "unmask-sweep";
const RUNS = 12; // texts of a point that are listed

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
    this.wish = {
      ...{ model: "denoiser", length: 64, seeds: 1, prompts: offer.prompts.slice(0, 8).join("\n---\n") },
      ...{ measure: Object.keys(offer.measures)[0] ?? "", across: Object.keys(ACROSS)[0] ?? "", looks: 16 },
    };
    this.show();
    const before = sessionStorage.getItem(KEPT);
    if (before) void this.look(before, true);
  }

  async begin() {
    const { model, length, seeds, measure, prompts } = this.wish;
    const counted = !/^(denoiser|twin|fast)$/.test(model.trim()); // empty prompts are for counted worlds
    const texts = prompts
      .split(/^---$/m)
      .map((text) => text.trim())
      .filter((text) => text || counted);
    const decoders = Object.keys(this.offer.decoders).filter((name) => this.chosen.has(name));
    await this.trying(async () => {
      const wish = { model: model.trim(), decoders: decoders.map((preset) => ({ preset })), prompts: texts };
      const begun = await ask("lab", { ...wish, seeds, length, measure });
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
    if (id !== this.id) Object.assign(this, { id, picked: "", advice: { says: "", order: null } });
    const turn = ++this.turn;
    for (let first = true; turn === this.turn; first = false) {
      try {
        const row = await ask(`lab/${id}`);
        if (turn !== this.turn) return; // an answer that is late would show what was
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

  /** @param {"stop" | "resume"} deed */
  act(deed) {
    return this.trying(async () => {
      await ask(`lab/${this.id}`, { do: deed });
      await this.look(this.id); // once, if it was stopped
    });
  }

  async advise() {
    const { measure, looks } = this.wish;
    try {
      const { point, order } = await ask(`lab/${this.id}`, { do: "advise", measure, passes: looks });
      const [mean] = point.values[measure];
      const worth = measure === "surprise" ? t("{n} nats", { n: mean.toFixed(2) }) : `${Math.round(100 * mean)} %`;
      const says = t("{decoder}: {worth}, with {looks} looks a text ({n} texts).", {
        ...{ decoder: point.decoder, worth },
        ...{ looks: point.passes.toFixed(1), n: point.runs },
      });
      this.advice = { says, order };
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
    const { row, wish } = this;
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
              .value=${wish.prompts}
              @input=${into(wish, "prompts")}
            ></textarea>
          </label>
          <details>
            <summary>${t("Model, length and seeds")}</summary>
            <div class="lab-row">
              ${modelField(wish)} ${numberField(t("Words to write"), wish, "length", [1, 512])}
              ${numberField(t("Seeds"), wish, "seeds", [1, 20])}
            </div>
          </details>
          <div class="lab-row">
            <button type="submit" class="primary">${t("Compare")}</button>
            <button type="button" ?hidden=${state !== "running"} @click=${() => void this.act("stop")}>
              ${t("Stop")}
            </button>
            <button
              type="button"
              ?hidden=${state !== "stopped" || done === count}
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
    const { wish, advice } = this;
    const draw = () => void this.draw();
    return html`<div class="lab-found">
      <div class="lab-row">
        <label
          >${t("Quality")}<select @change=${into(wish, "measure", draw)}>
            ${options(this.offer.measures, wish.measure)}
          </select></label
        ><label
          >${t("against")}<select @change=${into(wish, "across", draw)}>
            ${options(ACROSS, wish.across)}
          </select></label
        >
      </div>
      <div class="lab-chart"></div>
      <form class="lab-row" @submit=${onSubmit(() => void this.advise())}>
        ${numberField(t("Which decoder for at most so many looks?"), wish, "looks", [1, 4096])}
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
      ${this.picked ? this.texts(row) : nothing} ${row.points.length ? this.away(row) : nothing}
    </div>`;
  }

  /** The texts of a point, each with a button that opens its run.
   * @param {Row} row
   */
  texts({ runs }) {
    const some = runs.filter((/** @type {Row} */ run) => run.decoder === this.picked).slice(0, RUNS);
    return html`<div class="lab-runs">
      <h4>${this.picked}</h4>
      ${some.map(
        (/** @type {Row} */ { order, right, passes, prompt, text }) =>
          html`<p class="lab-run">
            <button type="button" @click=${() => openOrder(order)}>${t("Open on the stage")}</button>
            ${right === null ? nothing : html`<b>${right ? t("right") : t("wrong")}</b>`}
            ${passes === 1 ? t("one look") : t("{n} looks", { n: passes })}:
            <span class="lab-prompt">${prompt}</span>${text}
          </p>`,
      )}
    </div>`;
  }

  /** @param {Row} row */
  away({ paragraph }) {
    return html`<p class="lab-away">
      <a href=${new URL(`lab/${this.id}/table`, document.baseURI).href} download="sweep.csv"
        >${t("All texts as CSV")}</a
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
    const { measure } = this.wish;
    const across = /** @type {import("./chart.js").Across} */ (this.wish.across);
    const grid = { gridcolor: colour("line"), linecolor: colour("line") };
    const lines = traces(row.points, measure, across, INKS.map(colour), row.ceiling);
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

/** How far a sweep has come.
 * @param {Row} row
 */
function progress({ state, done, count, left, why, seconds }) {
  /** @type {Record<string, string>} */
  const ends = {
    stopped: t("Stopped; what is done is kept."),
    done: t("Done in {time}.", { time: span(seconds) }),
    failed: why,
  };
  const far =
    state === "running" && left != null
      ? t("{done} of {count} texts, about {time} left.", { done, count, time: span(left) })
      : t("{done} of {count} texts.", { done, count });
  return `${far} ${ends[state] ?? ""}`.trim();
}
