/** The curves of a run: a small chart for each number, with both sides in it, and one for calibration. */

import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { percent } from "../cells/face.js";
import { CALIBRATION, PANELS, rounded, stepped } from "./curves.js";
import { LineChart, TALL, WIDE, named } from "./line_chart.js";

/** @typedef {import("./curves.js").Series} Series */
/** @typedef {{name: string, series: Series, bins: import("./calibration.js").Bin[], cell: import("./belief.js").Guess[], picked: number}} Curve */

const TENTHS = 11; // marks of an axis from 0 to 100 %

export class CurveCharts {
  /** @param {(side: number, pass: number) => void} jump */
  constructor(jump) {
    this.jump = jump;
    this.key = el("p", { className: "key" });
    this.panels = PANELS.map(({ title }, i) => {
      const chart = new LineChart(
        (across, up) => this.pick(i, across, up),
        (across) => this.read(i, across),
      );
      const empty = el("p", { className: "empty", hidden: true }, t("comes with looks that are made while you watch"));
      const value = el("p", { className: "value" });
      return { chart, empty, value, node: el("figure", {}, el("figcaption", {}, t(title)), chart.node, empty, value) };
    });
    this.calibration = new LineChart(() => {});
    this.node = el(
      "div",
      { className: "curves" },
      this.key,
      ...this.panels.map(({ node }) => node),
      el(
        "figure",
        {},
        el("figcaption", {}, t(CALIBRATION)),
        this.calibration.node,
        el("p", { className: "value" }, t("how sure it was of its guess")),
      ),
    );
  }

  /** @type {Curve[]} */
  sides = [];
  passes = 1; // of the longer side

  /** @param {Curve[]} sides */
  show(sides) {
    this.sides = sides;
    this.passes = Math.max(1, ...sides.flatMap(({ series }) => series.x));
    this.key.replaceChildren(
      ...sides.map(({ name }, side) => el("span", { className: `side-${side}` }, name)),
      ...sides.flatMap(({ cell, picked }) =>
        cell.length ? [el("span", { className: "own" }, t("cell {cell}", { cell: picked }))] : [],
      ),
    );
    PANELS.forEach((_, i) => this.draw(i));
    this.calibrate();
    this.node.dataset.drawn = String(sides[0]?.series.x.length ?? 0);
  }

  /** @param {number} look */
  across(look) {
    return this.passes > 1 ? (look - 1) / (this.passes - 1) : 0;
  }

  /** Where the axis of a panel ends.
   * @param {number} panel
   */
  most(panel) {
    const { key } = /** @type {typeof PANELS[number]} */ (PANELS[panel]);
    const values = this.sides.flatMap(({ series }) => series[key].map((value) => value ?? 0));
    return key === "confidence" ? 1 : rounded(Math.max(1e-9, ...values));
  }

  /** @param {number} panel */
  draw(panel) {
    const { key } = /** @type {typeof PANELS[number]} */ (PANELS[panel]);
    const { chart, empty } = /** @type {typeof this.panels[number]} */ (this.panels[panel]);
    const most = this.most(panel);
    const x = (/** @type {number} */ look) => WIDE * this.across(look);
    const y = (/** @type {number} */ value) => TALL * (1 - value / most);
    const lines = this.sides.map(({ series }, side) => ({
      path: stepped(series.x, series[key], x, y),
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
    chart.show([...lines, ...own], [written(key, 0), written(key, most)], marks);
    const blank = this.sides.every(({ series }) => series[key].every((value) => value === null));
    empty.hidden = !blank || this.sides.every(({ series }) => !series.x.length);
  }

  calibrate() {
    const at = (/** @type {number} */ share) => (WIDE * share).toFixed(1);
    const lines = this.sides.map(({ bins }, side) => ({
      path: bins.map(({ sure, stood }, i) => `${i ? "L" : "M"}${at(sure)} ${(TALL * (1 - stood)).toFixed(1)}`).join(""),
      name: `side-${side}`,
    }));
    const equal = { path: `M0 ${TALL}L${WIDE} 0`, name: "equal" };
    const marks = named(TENTHS).map((i) => ({ at: i / (TENTHS - 1), text: percent(i / (TENTHS - 1)) }));
    this.calibration.show([equal, ...lines], [percent(0), percent(1)], marks);
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
    const { key } = /** @type {typeof PANELS[number]} */ (PANELS[panel]);
    const most = this.most(panel);
    const found = this.sides
      .map(({ series }, side) => {
        const i = this.nearest(series, across);
        return { side, look: series.x[i], away: Math.abs((series[key][i] ?? 0) / most - up) };
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
    const { key } = /** @type {typeof PANELS[number]} */ (PANELS[panel]);
    const values = this.sides.flatMap(({ name, series }) => {
      const i = this.nearest(series, across);
      const value = series[key][i];
      if (value === null || value === undefined) return [];
      return [`${name}, ${t("look {look}", { look: series.x[i] ?? 0 })}: ${written(key, value)}`];
    });
    const { value } = /** @type {typeof this.panels[number]} */ (this.panels[panel]);
    say(value, values.join(" · "));
  }
}

/**
 * @param {typeof PANELS[number]["key"]} key
 * @param {number} value
 */
function written(key, value) {
  return key === "confidence" ? percent(value) : String(Number(value.toPrecision(3)));
}
