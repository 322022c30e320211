/** The player's row: one button, and the run on its clock as a picture that one can point into. */

import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { freshText } from "../views/meters.js";
import { end, shown, times } from "../clock/playhead.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("../clock/playhead.js").Playhead} Playhead */
/** @typedef {{toggle: () => void, seek: (to: number) => void, step: (by: 1 | -1) => void}} Handlers */

const SVG = "http://www.w3.org/2000/svg";
const WIDE = 1000; // of the picture, whatever the screen has
const BASE = 27.5; // the bars of the first side stand on it, those of the second hang below
const TALL = 25;
const FULL = 34; // words of a look whose bar is as tall as the row
const STEPS = 1000; // of the slider

const PLAY = "M4 1l14 9-14 9z";
const PAUSE = "M3 1h5v18H3zM12 1h5v18h-5z";
const REPLAY = "M10 3V0L4.5 4.5 10 9V6a5.5 5.5 0 1 1-5.5 5.5H1.5A8.5 8.5 0 1 0 10 3z";

/**
 * The bars of a side as one path: as wide as each pass took, as high as it wrote words. Pure.
 * @param {Side} side
 * @param {ArrayLike<number>} row where its moments lie
 * @param {number} last the end of the axis
 * @param {boolean} hangs
 * @param {number} [from] only moments from here on
 * @param {number} [to]
 */
export function bars(side, row, last, hangs, from = 1, to = Infinity) {
  let path = "";
  for (let m = Math.max(1, from); m < Math.min(side.moments.length, to); m++) {
    const moment = side.moments[m];
    if (moment?.kind !== "pass" || !last) continue;
    const x = ((row[m - 1] ?? 0) / last) * WIDE + 0.8;
    const width = Math.max(1, ((row[m] ?? 0) / last) * WIDE - x - 0.8);
    const words = freshText(side, moment);
    const height = hangs ? 8 : Math.max(1.5, Math.sqrt(Math.min(FULL, words) / FULL) * TALL);
    const y = hangs ? BASE + 2 : BASE - height;
    path += `M${x.toFixed(1)} ${y.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h${(-width).toFixed(1)}z`;
  }
  return path;
}

/** Round places on an axis of so many milliseconds, at most five. Pure.
 * @param {number} last
 */
export function axisOf(last) {
  if (!(last > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(last));
  const step = [power / 5, power / 2, power, power * 2, power * 5].find((one) => last / one <= 4) ?? power;
  return Array.from({ length: Math.floor((last * 0.9) / step) + 1 }, (_, i) => i * step);
}

/** Whether a number under the axis would meet the unit at its end, each so many letters long. Pure.
 * @param {number} share of the axis
 * @param {number} number
 * @param {number} unit
 * @param {number} letters that the axis is long
 */
export function meets(share, number, unit, letters) {
  return share * letters + number / 2 > letters - unit - 2;
}

export class Track {
  /** @param {Handlers} handlers */
  constructor(handlers) {
    this.icon = document.createElementNS(SVG, "path");
    const picture = document.createElementNS(SVG, "svg");
    picture.setAttribute("viewBox", "0 0 20 20");
    picture.setAttribute("aria-hidden", "true");
    picture.append(this.icon);
    this.play = el("button", { type: "button", className: "play", onclick: () => handlers.toggle() }, picture);
    this.picture = document.createElementNS(SVG, "svg");
    this.picture.setAttribute("viewBox", `0 0 ${WIDE} 46`);
    this.picture.setAttribute("preserveAspectRatio", "none");
    this.picture.setAttribute("aria-hidden", "true");
    this.paths = ["first", "mine", "second", "axis"].map((name) => {
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("class", name);
      path.setAttribute("vector-effect", "non-scaling-stroke");
      this.picture.append(path);
      return path;
    });
    this.veil = el("div", { className: "veil" });
    this.head = el("div", { className: "head" });
    this.bubble = el("span", { className: "bubble", "aria-hidden": "true" });
    this.marks = el("ol", { "aria-hidden": "true" });
    this.unit = el("span", { className: "unit", "aria-hidden": "true" });
    this.slider = el("input", {
      type: "range",
      className: "seek",
      min: "0",
      max: String(STEPS),
      step: "any",
      value: "0",
      "aria-label": t("Position in the run"),
      oninput: () => handlers.seek((Number(this.slider.value) / STEPS) * this.last),
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
        if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        event.stopPropagation();
        handlers.step(/** @type {1 | -1} */ (by));
      },
    });
    this.time = el(
      "div",
      { className: "time" },
      el("div", { className: "clip" }, this.picture, this.veil),
      this.marks,
      this.slider,
      this.head,
      this.bubble,
      this.unit,
    );
    this.node = el("div", { className: "player", role: "group", "aria-label": t("Player") }, this.play, this.time);
    new ResizeObserver(([entry]) => {
      this.width = entry?.contentRect.width ?? 0;
      this.letter = 0.62 * parseFloat(getComputedStyle(this.unit).fontSize);
      this.at = NaN;
      this.seen = [];
    }).observe(this.time);
  }

  last = 0;
  width = 0;
  letter = 8; // pixels that a letter of the unit takes
  at = NaN;
  /** @type {unknown[]} */
  seen = [];

  /**
   * @param {Side[]} sides
   * @param {Playhead} head
   * @param {number} changedFrom the moment of the first side from which on the words are a person's doing
   * @param {boolean} over nothing more comes by itself
   * @param {string} machine the name of another machine, if its clock is shown
   */
  show(sides, head, changedFrom, over, machine) {
    const seen = [...sides.map((side) => side.moments), head.axis, changedFrom, machine];
    if (seen.some((one, i) => one !== this.seen[i])) this.redraw(sides, head, changedFrom, machine);
    this.seen = seen;
    const at = head.following ? this.last : Math.min(head.at, this.last);
    const share = this.last ? at / this.last : 0;
    const ended = over && this.last > 0 && share >= 1 - 1e-6;
    const name = head.playing ? t("Pause") : ended ? t("Replay") : t("Play");
    if (this.play.ariaLabel !== name) {
      this.play.ariaLabel = this.play.title = name;
      this.icon.setAttribute("d", head.playing ? PAUSE : ended ? REPLAY : PLAY);
    }
    const x = Math.round(share * this.width);
    if (x === this.at) return;
    this.at = x;
    this.head.style.transform = this.veil.style.transform = `translateX(${x}px)`;
    const looks = sides.map((side) => side.moments[shown(side, head)]?.passes ?? 0);
    const where = t("after {one} and {two} looks", { one: looks[0] ?? 0, two: looks[1] ?? 0 });
    if (head.playing) return;
    say(this.bubble, where);
    this.bubble.style.transform = `translateX(calc(${x}px - ${(share * 100).toFixed(1)}%))`;
    this.slider.value = String(share * STEPS);
    this.slider.setAttribute("aria-valuetext", where);
  }

  /**
   * @param {Side[]} sides
   * @param {Playhead} head
   * @param {number} changedFrom
   * @param {string} machine
   */
  redraw(sides, head, changedFrom, machine) {
    this.last = end(sides, head.axis);
    const [one, two] = /** @type {[Side, Side]} */ (sides);
    const rows = sides.map((side) => times(side, head.axis));
    const first = rows[0] ?? [];
    const places = axisOf(this.last);
    const share = (/** @type {number} */ place) => (place / (this.last || 1)) * WIDE;
    const [own, mine, second, axis] = /** @type {SVGPathElement[]} */ (this.paths);
    own?.setAttribute("d", bars(one, first, this.last, false, 1, changedFrom));
    mine?.setAttribute("d", bars(one, first, this.last, false, changedFrom));
    second?.setAttribute("d", bars(two, rows[1] ?? [], this.last, true));
    axis?.setAttribute("d", `M0 40H${WIDE}${places.map((place) => `M${Math.max(0.5, share(place))} 39v6`).join("")}`);
    const clock = head.axis === "clock";
    const written = (/** @type {number} */ place) => (clock ? `${+(place / 1000).toPrecision(3)}` : String(place));
    const s = (this.last / 1000).toFixed(this.last < 100 ? 3 : 2);
    const computing = machine
      ? t("{s} s on one {chip}, modelled", { s, chip: machine })
      : t("{s} s of computing", { s });
    const unit = !this.last ? "" : clock ? computing : t("looks");
    say(this.unit, unit);
    const letters = this.width / this.letter;
    this.marks.replaceChildren(
      ...places.map((place) => {
        const mark = el("li", {}, written(place));
        mark.style.left = `${share(place) / 10}%`;
        mark.hidden = meets(share(place) / WIDE, written(place).length, unit.length, letters);
        return mark;
      }),
    );
    this.at = NaN;
  }
}
