/** The views below the stage: the maps and the curves of both lanes, drawn only while somebody can see them. */

import { drawCurves, series } from "./curves.js";
import { el, say } from "./dom.js";
import { unmask } from "./instrument.js";
import { PassMap, SHOWS } from "./map.js";
import { NAMES } from "./stage.js";
import { NOTHING } from "./wire.js";

/** @typedef {import("./store.js").Lane} Lane */

/** @type {WeakSet<Element>} what is on the screen now; asking the page itself would lay it out */
const visible = new WeakSet();

/**
 * Show an element when it comes into sight.
 * @param {Element} node
 * @param {() => void} show
 */
function seen(node, show) {
  new IntersectionObserver(([entry]) => {
    if (!entry?.isIntersecting) visible.delete(node);
    else {
      visible.add(node);
      show();
    }
  }).observe(node);
}

/** The maps of both lanes. */
export class Maps extends HTMLElement {
  connectedCallback() {
    if (this.childElementCount) return;
    this.shows = SHOWS[0];
    const told = el("p", { className: "told" }, this.shows?.says ?? "");
    const choice = SHOWS.map((mode, i) =>
      el(
        "label",
        {},
        el("input", {
          type: "radio",
          name: "unmask-map",
          checked: i === 0,
          onchange: () => {
            this.shows = mode;
            unmask.wish(this, mode.shows === "entropy");
            say(told, mode.says);
            this.show();
          },
        }),
        el("span", {}, mode.text),
      ),
    );
    this.maps = NAMES.map(
      (name, lane) =>
        new PassMap(name, {
          hover: (cell) => unmask.hover(lane, cell),
          pick: (cell, moment) => {
            unmask.select(lane, cell, false, true);
            unmask.jump(lane, moment);
          },
        }),
    );
    this.append(
      el("fieldset", { className: "choice" }, el("legend", {}, "The map shows"), ...choice),
      told,
      el("div", { className: "maps" }, ...this.maps.map((map) => map.node)),
    );
    unmask.watchers.add(() => this.show());
    seen(this, () => this.show());
  }

  /** @type {PassMap[]} */
  maps = [];
  /** @type {typeof SHOWS[number] | undefined} */
  shows;

  show() {
    const mode = this.shows;
    if (!mode) return;
    this.maps.forEach((map, i) => {
      const lane = /** @type {Lane} */ (unmask.lanes[i]);
      const cell =
        unmask.hand.over.cell !== NOTHING ? unmask.hand.over.cell : unmask.hand.lane === i ? unmask.hand.cell : NOTHING;
      map.show(lane, unmask.at(i), mode.shows, cell, visible.has(this));
    });
  }
}

/** The curves of both lanes. */
export class Curves extends HTMLElement {
  connectedCallback() {
    if (this.childElementCount) return;
    this.plot = el("div", { className: "plot" });
    this.append(this.plot);
    unmask.watchers.add(() => this.show());
    addEventListener("unmask-theme", () => {
      this.drawn = "";
      this.show();
    });
    seen(this, () => {
      unmask.wish(this, true); // from the first look on
      this.show();
    });
  }

  drawn = "";
  busy = false;
  /** @type {HTMLElement | undefined} */
  plot;

  async show() {
    const key = unmask.lanes.map((lane, i) => `${lane.session}:${unmask.at(i)}`).join(" ");
    if (!visible.has(this) || this.busy || this.drawn === key || !this.plot) return;
    this.busy = true;
    this.drawn = key;
    try {
      const told = unmask.lanes.map((lane, i) => ({ name: NAMES[i] ?? "", series: series(lane, unmask.at(i)) }));
      await drawCurves(this.plot, told, JSON.parse(this.dataset.plotly ?? "null"));
    } catch (error) {
      say(this.plot, error instanceof Error ? error.message : String(error));
    }
    // not more often than the eye can follow, and once more if something came meanwhile
    setTimeout(() => {
      this.busy = false;
      this.show();
    }, 250);
  }
}
