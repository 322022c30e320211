/** The curves of a run: a small chart for each number, with both sides in it, and one for calibration. */

import { t } from "../looks/language.js";
import { percent } from "../cells/face.js";
import { html, nothing, render } from "../vendor/lit-html.js";
import { TALL, WIDE, named } from "./axis.js";
import { CALIBRATION, PANELS, rounded, stepped } from "./curves.js";
import { lineChart } from "./line_chart.js";

/** @typedef {{x: number[]} & Record<string, (number | null)[]>} Series a value for each look, by panel */
/** @typedef {{name: string, series: Series, bins: import("./calibration.js").Bin[], cell: import("./belief.js").Guess[], picked: number}} Curve */

const TENTHS = 11; // marks of an axis from 0 to 100 %

export class CurveCharts {
  node = document.createElement("div");

  /**
   * @param {(side: number, pass: number) => void} jump
   * @param {{key: string, title: string}[]} panels each a number of `Series`
   * @param {boolean} whole with a key and the chart of calibration
   */
  constructor(jump, panels = PANELS, whole = true) {
    this.jump = jump;
    this.panels = panels;
    this.whole = whole;
    this.node.className = "curves";
  }

  /** @type {Curve[]} */
  sides = [];
  passes = 1; // of the longer side
  /** @type {string[]} what each panel has under the pointer */
  values = [];

  /** @param {Curve[]} sides */
  show(sides) {
    this.sides = sides;
    this.passes = Math.max(1, ...sides.flatMap(({ series }) => series.x));
    this.values = [];
    this.node.dataset.drawn = String(sides[0]?.series.x.length ?? 0);
    this.draw();
  }

  draw() {
    const panels = this.panels.map(({ title }, i) => this.panel(title, i));
    render(this.whole ? html`${this.key()} ${panels} ${this.calibration()}` : panels, this.node);
  }

  key() {
    return html`<p class="key flow">
      ${this.sides.map(({ name }, side) => html`<span class="side-${side}">${name}</span>`)}
      ${this.sides.map(({ cell, picked }) =>
        cell.length ? html`<span class="own">${t("cell {cell}", { cell: picked })}</span>` : nothing,
      )}
    </p>`;
  }

  /** @param {number} look */
  across(look) {
    return this.passes > 1 ? (look - 1) / (this.passes - 1) : 0;
  }

  /** Where the axis of a panel ends.
   * @param {number} panel
   */
  most(panel) {
    const key = this.panels[panel]?.key ?? "";
    const values = this.sides.flatMap(({ series }) => (series[key] ?? []).map((value) => value ?? 0));
    return key === "confidence" ? 1 : rounded(Math.max(0, ...values) || 1);
  }

  /**
   * @param {string} title
   * @param {number} panel
   */
  panel(title, panel) {
    const key = this.panels[panel]?.key ?? "";
    const most = this.most(panel);
    const x = (/** @type {number} */ look) => WIDE * this.across(look);
    const y = (/** @type {number} */ value) => TALL * (1 - value / most);
    const lines = this.sides.map(({ series }, side) => ({
      path: stepped(series.x, series[key] ?? [], x, y),
      name: `side-${side}`,
    }));
    const own = this.sides.flatMap(({ cell, series }) =>
      cell.length && key === "confidence"
        ? [{ path: stepped(series.x.slice(-cell.length), cell.map(({ share }) => share), x, y), name: "own" }] // prettier-ignore
        : [],
    );
    const marks = named(this.passes).map((i) => ({
      at: this.across(i + 1),
      text: i ? String(i + 1) : t("look {look}", { look: 1 }),
    }));
    const chart = lineChart(
      [...lines, ...own],
      [written(key, 0), written(key, most)],
      marks,
      (across, up) => this.pick(panel, across, up),
      (across) => this.read(panel, across),
    );
    const blank = this.sides.every(({ series }) => (series[key] ?? []).every((value) => value === null));
    const begun = this.sides.some(({ series }) => series.x.length);
    return html`<figure>
      <figcaption>${t(title)}</figcaption>
      ${chart}
      <p class="empty" ?hidden=${!blank || !begun}>${t("comes with looks that are made while you watch")}</p>
      <p class="value">${this.values[panel]}</p>
    </figure>`;
  }

  calibration() {
    const at = (/** @type {number} */ share) => (WIDE * share).toFixed(1);
    const lines = this.sides.map(({ bins }, side) => ({
      path: bins.map(({ sure, stood }, i) => `${i ? "L" : "M"}${at(sure)} ${(TALL * (1 - stood)).toFixed(1)}`).join(""),
      name: `side-${side}`,
    }));
    const equal = { path: `M0 ${TALL}L${WIDE} 0`, name: "equal" };
    const marks = named(TENTHS).map((i) => ({ at: i / (TENTHS - 1), text: percent(i / (TENTHS - 1)) }));
    return html`<figure>
      <figcaption>${t(CALIBRATION)}</figcaption>
      ${lineChart([equal, ...lines], [percent(0), percent(1)], marks)}
      <p class="value">${t("how sure it was of its guess")}</p>
    </figure>`;
  }

  /** The look under the pointer, as far as a side has come.
   * @param {Series} series
   * @param {number} across
   */
  nearest({ x }, across) {
    const look = 1 + across * (this.passes - 1);
    let best = 0;
    x.forEach((one, i) => {
      if (Math.abs(one - look) < Math.abs((x[best] ?? 0) - look)) best = i;
    });
    return best;
  }

  /** Go to the look under the pointer, on the side whose line is nearer.
   * @param {number} panel
   * @param {number} across
   * @param {number} up
   */
  pick(panel, across, up) {
    const key = this.panels[panel]?.key ?? "";
    const most = this.most(panel);
    const found = this.sides
      .map(({ series }, side) => {
        const i = this.nearest(series, across);
        return { side, look: series.x[i], away: Math.abs((series[key]?.[i] ?? 0) / most - up) };
      })
      .filter(({ look }) => look !== undefined)
      .sort((a, b) => a.away - b.away)[0];
    if (found?.look !== undefined) this.jump(found.side, found.look);
  }

  /** What both sides have under the pointer.
   * @param {number} panel
   * @param {number} across
   */
  read(panel, across) {
    const key = this.panels[panel]?.key ?? "";
    const values = this.sides.flatMap(({ name, series }) => {
      const i = this.nearest(series, across);
      const value = series[key]?.[i];
      if (value === null || value === undefined) return [];
      return [`${name}, ${t("look {look}", { look: series.x[i] ?? 0 })}: ${written(key, value)}`];
    });
    this.values[panel] = values.join(" · ");
    this.draw();
  }
}

/**
 * @param {string} key
 * @param {number} value
 */
function written(key, value) {
  return key === "confidence" ? percent(value) : String(Number(value.toPrecision(3)));
}
