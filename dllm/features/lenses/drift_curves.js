/** Under the curves, once it is asked for: how far each look is from the last one, and the order of writing. */

import { t } from "../../assets/looks/language.js";
import { DRIFTS, driftSeries, orderSentence } from "./drift.js";
import { html, render } from "../../assets/vendor/lit-html.js";
import { CurveCharts } from "../../assets/views/curve_charts.js";
import { lensesOf } from "./lenses.js";
import { nameOf } from "../../assets/views/names.js";

/** @typedef {import("../../assets/wire/store.js").Side} Side */

export class DriftCurves {
  node = document.createElement("section");

  /**
   * @param {import("../../assets/stage/controller.js").Controller} unmask
   * @param {(side: number, pass: number) => void} jump
   */
  constructor(unmask, jump) {
    this.unmask = unmask;
    this.charts = new CurveCharts(jump, DRIFTS, false);
    this.node.className = "drift";
  }

  wanted = false;
  drawn = "";

  /** The sides that can be asked: their looks predicted a word more than once. */
  get sides() {
    return this.unmask.sides.flatMap((side, number) =>
      side.source === "live" && !side.head.causal ? [{ side, number }] : [],
    );
  }

  show() {
    const moving = this.unmask.player.head.playing || this.sides.some(({ side }) => side.playing);
    const asks = this.wanted && !moving;
    const looks = this.sides.map(({ side, number }) => ({
      ...{ side, number, name: nameOf(side, number) },
      look: asks ? lensesOf(this.unmask).look(side, side.moments.length - 1, "drift") : null,
    }));
    const key = JSON.stringify([
      this.wanted,
      moving,
      looks.map(({ side, name, look }) => [side.session, name, look?.state]),
    ]);
    if (key === this.drawn) return; // as in nearly every frame
    this.drawn = key;
    const known = looks.filter(({ look }) => look?.state === "known");
    const pending = looks.some(({ look }) => look?.state === "asking");
    const refused = looks.find(({ look }) => look?.state === "refused")?.look?.why ?? "";
    if (known.length) {
      const blank = { name: "", series: { x: [], last: [], before: [] }, bins: [], cell: [], picked: -1 };
      const rows = [blank, blank]; // a line keeps its side's colour
      for (const { side, number, name, look } of known)
        rows[number] = { ...blank, name, series: driftSeries(side, look?.answer ?? {}) };
      this.charts.show(rows);
    }
    const want = () => {
      this.wanted = true;
      this.show();
    };
    const paused = this.wanted && moving ? t("Pause to ask: it takes the model away from the run.") : "";
    render(
      html`<p ?hidden=${!this.sides.length || known.length > 0}>
          <button type="button" class="quiet" ?hidden=${this.wanted} @click=${want}>
            ${t("How far is each look from the final one?")}
          </button>
          <span role="status">${pending ? t("Asking …") : refused || paused}</span>
        </p>
        <div ?hidden=${!known.length}>
          <p class="reading">
            ${t("How much a look's guesses differ from each cell's last one, or from those of the look before: Kullback-Leibler divergence of the raw probabilities, mean over the open cells.")}
          </p>
          ${this.charts.node}
          ${known.map(({ name, look }) => html`<p class="order">${orderSentence(name, look?.answer ?? {})}</p>`)}
          <p class="reading">
            ${t("Kendall's tau-b of place and look, with its standard error: 1 is left to right, 0 no order, −1 right to left.")}
          </p>
        </div>`,
      this.node,
    );
  }
}
