/** The views below the stage: the maps and the curves of both sides, drawn only while somebody can see them. */

import { guesses } from "../views/belief.js";
import { calibration } from "../views/calibration.js";
import { CurveCharts } from "../views/curve_charts.js";
import { series } from "../views/curves.js";
import { offered } from "../looks/features.js";
import { t } from "../looks/language.js";
import { Panel } from "../stage/of_page.js";
import { html, render } from "../vendor/lit-html.js";
import { PassMap } from "../views/map.js";
import { AID, SHOWS } from "../views/map_cells.js";
import { nameOf } from "../views/names.js";
import { NOTHING } from "../wire/canvas.js";

/** @typedef {import("../wire/store.js").Side} Side */

/** @type {WeakSet<Element>} what is on the screen now; asking the page itself would lay it out */
const visible = new WeakSet();

/**
 * Show an element when it comes into sight.
 * @param {Element} node
 * @param {() => void} show
 */
function onVisible(node, show) {
  new IntersectionObserver(([entry]) => {
    if (!entry?.isIntersecting) visible.delete(node);
    else {
      visible.add(node);
      show();
    }
  }).observe(node);
}

/** The maps of both sides. */
const NAMES = ["Diffusion", "One word after another"];

export class Maps extends Panel {
  setUp() {
    this.maps = NAMES.map(
      (name, side) =>
        new PassMap(name, {
          hover: (cell, moment) => this.unmask.hover(side, cell, moment),
          pick: (cell, moment) => {
            this.unmask.select(side, cell, false, true);
            this.unmask.player.jump(side, moment);
          },
          open: () => document.querySelector("unmask-stage")?.dispatchEvent(new Event("unmask-word")),
        }),
    );
    this.draw();
    this.unmask.frames.add(() => this.show());
    onVisible(this, () => this.show());
  }

  /** @type {PassMap[]} */
  maps = [];
  shows = /** @type {typeof SHOWS[number]} */ (SHOWS[0]);

  /** @param {typeof SHOWS[number]} mode */
  choose(mode) {
    this.shows = mode;
    this.unmask.entropyReaders.want(this, mode.shows === "entropy");
    this.draw();
    this.show();
  }

  draw() {
    const choice = SHOWS.map(
      (mode) =>
        html`<label
          ><input
            type="radio"
            name="unmask-map"
            .checked=${mode === this.shows}
            @change=${() => this.choose(mode)}
          /><span>${t(mode.text)}</span></label
        >`,
    );
    render(
      html`<fieldset class="choice choices flow" aria-label=${t("The map shows")}>${choice}</fieldset>
        <p class="reading">${t(this.shows.says)} ${t(AID)}</p>
        <div class="maps">${this.maps.map(({ node }) => node)}</div>`,
      this,
    );
  }

  show() {
    this.maps.forEach((map, i) => {
      const side = /** @type {Side} */ (this.unmask.sides[i]);
      const cell =
        this.unmask.selection.hovered.cell !== NOTHING
          ? this.unmask.selection.hovered.cell
          : this.unmask.selection.side === i && this.unmask.selection.selected.length
            ? this.unmask.selection.cell
            : NOTHING;
      // one word after another makes a diagonal, which the timeline shows as well
      const plain =
        Boolean(side.head.causal) && !this.unmask.sides[0]?.head.causal && this.unmask.sides[0]?.source !== "empty";
      map.node.hidden = side.source === "empty" || plain;
      map.show(
        nameOf(side, i),
        { side, at: this.unmask.player.at(i), shows: this.shows.shows, cell },
        visible.has(this),
      );
    });
  }
}

/** The curves of both sides. */
export class Curves extends Panel {
  setUp() {
    const jump = (/** @type {number} */ side, /** @type {number} */ pass) => {
      const moment = this.unmask.side(side).moments.findIndex((m) => m.kind === "pass" && m.passes === pass);
      if (moment >= 0) this.unmask.player.jump(side, moment);
    };
    this.charts = new CurveCharts(jump);
    const reading = t("Each line is one side, look by look. Confidence and entropy are means over the cells that were open when the model looked; a selected cell has a line of its own. Click a line to go to that look."); // prettier-ignore
    render(
      html`<p class="reading">${reading}</p>
        ${this.charts.node}`,
      this,
    );
    void offered("curves").then((found) => {
      this.more = found.map((Curve) => new Curve(this.unmask, jump));
      this.append(...this.more.map(({ node }) => node));
      this.unmask.frames.redraw();
    });
    this.unmask.frames.add(() => this.show());
    onVisible(this, () => {
      this.unmask.entropyReaders.want(this, true); // from the first look on
      this.show();
    });
  }

  /** @type {CurveCharts | undefined} */
  charts;
  /** @type {import("../looks/features.js").Drawn[]} of features */
  more = [];
  drawn = "";

  show() {
    if (visible.has(this)) for (const one of this.more) one.show();
    const { side: number, cell, selected } = this.unmask.selection;
    const stands = this.unmask.sides.map((side, i) => `${side.session}:${this.unmask.player.at(i)}`);
    const key = `${stands.join(" ")} ${number} ${selected.length ? cell : ""}`;
    if (!visible.has(this) || this.drawn === key) return;
    this.drawn = key;
    this.charts?.show(
      this.unmask.sides.map((side, i) => ({
        name: nameOf(side, i),
        series: series(side, this.unmask.player.at(i)),
        bins: calibration(side, this.unmask.player.at(i)),
        cell: i === number && selected.length ? guesses(side, this.unmask.player.at(i), cell) : [],
        picked: cell,
      })),
    );
  }
}
