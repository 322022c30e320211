/** A sweep on the page: chosen, begun, watched as its points arrive, stopped, gone on with, and taken away. */

import { loadPlotly } from "../views/plotly.js";
import { colour, el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { ACROSS, AXES, span, traces } from "./chart.js";
import { ask } from "./ask.js";
import { openOrder } from "../stage/order.js";

const EVERY = 700; // ms between two looks
const INKS = ["side-0", "mark", "doubt", "side-1", "accent", "ink-2"];
const KEPT = "unmask-sweep";

/** Whole numbers at every tick: a 2 that means 20 is read by nobody. */
const TICKS = [0.01, 0.1, 1, 10, 100, 1000].flatMap((ten) => [ten, 2 * ten, 5 * ten]);

export class SweepPanel {
  /**
   * @param {import("./lab.js").Offer} offer
   * @param {string} plotly where it is served
   */
  constructor(offer, plotly) {
    this.plotly = plotly;
    this.id = "";
    /** @type {any} */
    this.row = null;
    this.ticks = Object.entries(offer.decoders).map(([name, { title, says, usual }]) =>
      el("input", {
        type: "checkbox",
        value: name,
        checked: usual && name !== "wino" && name !== "dream",
        ariaLabel: t(title),
        title: t(says),
      }),
    );
    this.model = models();
    this.length = number(64, 1, 512);
    this.seeds = number(1, 1, 20);
    this.prompts = el("textarea", { rows: 5, value: offer.prompts.slice(0, 8).join("\n---\n"), spellcheck: false });
    this.measure = choice(Object.fromEntries(Object.entries(offer.measures).map(([key, text]) => [key, t(text)])));
    this.across = choice(Object.fromEntries(Object.entries(ACROSS).map(([key, text]) => [key, t(text)])));
    this.measure.onchange = this.across.onchange = () => void this.draw();
    this.go = el("button", { type: "submit", className: "primary" }, t("Compare"));
    this.halt = el("button", { type: "button", onclick: () => void this.act("stop"), disabled: true }, t("Stop"));
    this.more = el("button", { type: "button", onclick: () => void this.act("resume"), hidden: true }, t("Go on"));
    this.bar = el("progress", { max: 1, value: 0, ariaLabel: t("how much of the sweep is done") });
    this.status = el(
      "p",
      { role: "status", className: "lab-status" },
      t("Each decoder is tried at five settings, on every prompt."),
    );
    this.chart = el("div", { className: "lab-chart" });
    this.runs = el("div", { className: "lab-runs" });
    this.budget = number(16, 1, 4096);
    this.advice = el("p", { className: "lab-advice" });
    this.away = el("p", { className: "lab-away", hidden: true });
    this.found = el(
      "div",
      { className: "lab-found", hidden: true },
      el("div", { className: "lab-row" }, label(t("Quality"), this.measure), label(t("against"), this.across)),
      this.chart,
      el(
        "form",
        { className: "lab-row", onsubmit: (/** @type {Event} */ e) => (e.preventDefault(), void this.advise()) },
        label(t("Which decoder for at most so many looks?"), this.budget),
        el("button", { type: "submit" }, t("Advise")),
      ),
      this.advice,
      this.runs,
      this.away,
    );
    this.node = el(
      "div",
      { className: "lab-sweep" },
      el(
        "form",
        { onsubmit: (/** @type {Event} */ e) => (e.preventDefault(), void this.begin()) },
        el(
          "fieldset",
          {},
          el("legend", {}, t("Decoders")),
          el(
            "div",
            { className: "lab-ticks" },
            ...this.ticks.map((tick) => el("label", { title: tick.title }, tick, tick.ariaLabel ?? "")),
          ),
        ),
        label(t("Prompts, with a line of three dashes between them"), this.prompts),
        el(
          "div",
          { className: "lab-row" },
          label(t("Model"), this.model),
          label(t("Words to write"), this.length),
          label(t("Seeds"), this.seeds),
          this.go,
          this.halt,
          this.more,
        ),
      ),
      this.bar,
      this.status,
      this.found,
    );
    const before = sessionStorage.getItem(KEPT);
    if (before) void this.look(before, true);
  }

  async begin() {
    const decoders = this.ticks.filter((tick) => tick.checked).map((tick) => ({ preset: tick.value }));
    const counted = !/^(denoiser|twin|fast)$/.test(this.model.value.trim()); // empty prompts are for counted worlds
    const prompts = this.prompts.value
      .split(/^---$/m)
      .map((text) => text.trim())
      .filter((text) => text || counted);
    try {
      const begun = await ask("lab", {
        model: this.model.value.trim(),
        decoders,
        prompts,
        seeds: Number(this.seeds.value),
        length: Number(this.length.value),
        measure: this.measure.value,
      });
      await this.look(begun.id);
    } catch (error) {
      say(this.status, /** @type {Error} */ (error).message);
    }
  }

  turn = 0; // of those that look: the latest is the only one

  /** Look until it no longer runs.
   * @param {string} id
   * @param {boolean} quietly where an old one is gone, nothing is shown
   */
  async look(id, quietly = false) {
    this.id = id;
    const turn = ++this.turn;
    for (let first = true; turn === this.turn; first = false) {
      try {
        const row = await ask(`lab/${id}`);
        if (turn !== this.turn) return; // an answer that is late would show what was
        this.row = row;
      } catch (error) {
        sessionStorage.removeItem(KEPT);
        if (!quietly || !first) say(this.status, /** @type {Error} */ (error).message);
        return;
      }
      sessionStorage.setItem(KEPT, id);
      await this.show();
      if (this.row.state !== "running") return;
      await new Promise((resolve) => setTimeout(resolve, EVERY));
    }
  }

  /** @param {"stop" | "resume"} deed */
  async act(deed) {
    try {
      await ask(`lab/${this.id}`, { do: deed });
      await this.look(this.id); // once, if it was stopped
    } catch (error) {
      say(this.status, /** @type {Error} */ (error).message);
    }
  }

  async advise() {
    try {
      const { point, order } = await ask(`lab/${this.id}`, {
        do: "advise",
        measure: this.measure.value,
        passes: Number(this.budget.value),
      });
      const [mean] = point.values[this.measure.value];
      const worth =
        this.measure.value === "surprise" ? t("{n} nats", { n: mean.toFixed(2) }) : `${Math.round(100 * mean)} %`;
      this.advice.replaceChildren(
        t("{decoder}: {worth}, with {looks} looks a text ({n} texts).", {
          ...{ decoder: point.decoder, worth },
          ...{ looks: point.passes.toFixed(1), n: point.runs },
        }),
        " ",
        el("button", { type: "button", onclick: () => openOrder(order) }, t("Use it on the stage")),
      );
    } catch (error) {
      this.advice.textContent = /** @type {Error} */ (error).message;
    }
  }

  async show() {
    const { state, done, count, left, why, seconds } = this.row;
    this.bar.max = count;
    this.bar.value = done;
    this.node.dataset.state = state;
    this.node.dataset.done = String(done);
    this.halt.disabled = state !== "running";
    this.more.hidden = state !== "stopped" || done === count;
    const ends = {
      running: "",
      stopped: t("Stopped; what is done is kept."),
      done: t("Done in {time}.", { time: span(seconds) }),
      failed: why,
    };
    const far =
      state === "running" && left != null
        ? t("{done} of {count} texts, about {time} left.", { done, count, time: span(left) })
        : t("{done} of {count} texts.", { done, count });
    say(this.status, `${far} ${ends[/** @type {keyof typeof ends} */ (state)] ?? ""}`.trim());
    this.found.hidden = !done;
    if (done) await this.draw();
  }

  async draw() {
    if (!this.row?.points.length) return;
    const Plotly = await loadPlotly(this.plotly);
    const measure = this.measure.value;
    const across = /** @type {import("./chart.js").Across} */ (this.across.value);
    const [ink, grid] = [colour("ink"), colour("line")];
    const layout = {
      font: { color: ink, family: getComputedStyle(this.node).fontFamily, size: 13 },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      margin: { l: 56, r: 12, t: 12, b: 48 },
      height: 420,
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
      hovermode: "closest",
      xaxis: { title: { text: t(ACROSS[across]) }, type: "log", tickvals: TICKS, gridcolor: grid, linecolor: grid },
      yaxis: {
        title: { text: t(AXES[measure] ?? "") },
        gridcolor: grid,
        zerolinecolor: grid,
        rangemode: "tozero",
        tickformat: measure === "surprise" ? "" : ".0%",
      },
    };
    const rows = traces(this.row.points, measure, across, INKS.map(colour), this.row.ceiling);
    await Plotly.react(this.chart, rows, layout, { displaylogo: false, responsive: true, displayModeBar: false });
    if (!this.listens) {
      this.listens = true;
      /** @type {any} */ (this.chart).on("plotly_click", (/** @type {any} */ event) =>
        this.list(event.points[0]?.customdata),
      );
    }
    this.chart.dataset.points = String(this.row.points.length);
    this.away.hidden = false;
    this.away.replaceChildren(
      el(
        "a",
        { href: new URL(`lab/${this.id}/table`, document.baseURI).href, download: "sweep.csv" },
        t("All texts as CSV"),
      ),
      ...["PNG", "SVG"].map((kind) => {
        const picture = { format: kind.toLowerCase(), width: 1100, height: 620, filename: "sweep" };
        const save = () => void Plotly.downloadImage(this.chart, picture);
        return el("button", { type: "button", onclick: save }, t("Chart as {kind}", { kind }));
      }),
      el(
        "button",
        { type: "button", onclick: () => void navigator.clipboard.writeText(this.row.paragraph) },
        t("Copy a paragraph about it"),
      ),
      el("p", { className: "lab-paragraph" }, this.row.paragraph),
    );
  }

  /** The texts of a point, each with a button that opens its run.
   * @param {string | undefined} decoder
   */
  list(decoder) {
    if (!decoder) return;
    const some = this.row.runs.filter((/** @type {any} */ run) => run.decoder === decoder).slice(0, 12);
    this.runs.replaceChildren(
      el("h4", {}, decoder),
      ...some.map((/** @type {any} */ run) =>
        el(
          "p",
          { className: "lab-run" },
          el("button", { type: "button", onclick: () => openOrder(run.order) }, t("Open on the stage")),
          run.right === null ? "" : el("b", {}, run.right ? t("right") : t("wrong")),
          ` ${run.passes === 1 ? t("one look") : t("{n} looks", { n: run.passes })}: `,
          el("span", { className: "lab-prompt" }, run.prompt),
          run.text,
        ),
      ),
    );
  }
}

const NAMES = ["denoiser", "fast", "permutations", "sudoku4", "balanced", "smallsums"];

/** A model by name, with those that open at once to choose from. */
export function models() {
  const list = el("datalist", { id: "lab-models" }, ...NAMES.map((value) => el("option", { value })));
  const input = el("input", { value: "denoiser", maxLength: 300 });
  input.setAttribute("list", list.id);
  if (!document.getElementById(list.id)) document.body.append(list);
  return input;
}

/**
 * @param {number} value
 * @param {number} min
 * @param {number} max
 */
export function number(value, min, max) {
  return el("input", { type: "number", min: String(min), max: String(max), value: String(value) });
}

/** @param {Record<string, string>} rows */
export function choice(rows) {
  return el("select", {}, ...Object.entries(rows).map(([value, text]) => el("option", { value }, text)));
}

/**
 * @param {string} text
 * @param {HTMLElement} control
 */
export function label(text, control) {
  return el("label", {}, text, control);
}
