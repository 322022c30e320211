/** Play, pause, one pass back and on, start, end, speed; and a scrubber whose track is a picture of the run. */

import { t } from "../looks/language.js";
import { colour, el, measured, say, surface } from "../looks/dom.js";
import { clockOf, freshText } from "./meters.js";
import { SPEEDS, end, times } from "./playhead.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("./playhead.js").Playhead} Playhead */

/**
 * @typedef {object} Handlers
 * @property {() => void} toggle
 * @property {(by: 1 | -1) => void} step
 * @property {(to: number) => void} seek
 * @property {(index: number) => void} pace
 */

const ICONS = {
  start: "M5 4v16M20 4 9 12l11 8z",
  back: "M17 4 6 12l11 8z",
  play: "M7 4l13 8-13 8z",
  pause: "M7 4v16M17 4v16",
  on: "M7 4l11 8-11 8z",
  end: "M19 4v16M4 4l11 8-11 8z",
};

/** @param {keyof typeof ICONS} name */
function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", name);
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

export class Transport {
  /** @param {Handlers} handlers */
  constructor(handlers) {
    this.handlers = handlers;
    const press = (/** @type {keyof typeof ICONS} */ name, /** @type {string} */ label, /** @type {() => void} */ go) =>
      el("button", { type: "button", className: name, "aria-label": label, title: label, onclick: go }, icon(name));
    this.play = press("play", t("Play"), () => handlers.toggle());
    this.play.append(icon("pause"));
    this.speed = el(
      "select",
      { "aria-label": t("Speed"), onchange: () => handlers.pace(this.speed.selectedIndex) },
      ...SPEEDS.map(({ name }) => el("option", {}, t(name))),
    );
    this.where = el("output", { className: "where" });
    this.track = el("canvas", {});
    this.slider = el(
      "div",
      {
        className: "track",
        role: "slider",
        tabIndex: 0,
        "aria-label": "Position in the run",
        "aria-valuemin": 0,
        title:
          "Diffusion stands up, the twin hangs down. A bar: tokens written in a pass; the line: how sure it was on average.",
      },
      this.track,
    );
    this.node = el(
      "div",
      { className: "transport", role: "group", "aria-label": "Transport" },
      el(
        "div",
        { className: "buttons" },
        press("start", t("To the start"), () => handlers.seek(0)),
        press("back", t("One pass back"), () => handlers.step(-1)),
        this.play,
        press("on", t("One pass on"), () => handlers.step(1)),
        press("end", t("To the end"), () => handlers.seek(Infinity)),
      ),
      this.slider,
      el("div", { className: "pace" }, this.where, el("label", {}, el("span", {}, t("Speed")), this.speed)),
    );
    this.last = 0;
    this.slider.addEventListener("pointerdown", (event) => {
      this.slider.setPointerCapture(event.pointerId);
      this.point(event);
    });
    this.slider.addEventListener("pointermove", (event) => event.buttons && this.point(event));
    measured(this.track, () => this.redraw?.());
  }

  /** @param {PointerEvent} event */
  point(event) {
    const box = this.slider.getBoundingClientRect();
    const [from, left] = [event.clientX - box.left, box.right - event.clientX];
    const edge = 4; // a finger never finds the very end
    this.handlers.seek(left < edge ? Infinity : from < edge ? 0 : (from / box.width) * this.last);
  }

  /**
   * @param {Side[]} sides
   * @param {Playhead} head
   * @param {number} speed
   * @param {string} axisTitle
   */
  show(sides, head, speed, axisTitle) {
    this.last = end(sides, head.axis);
    const at = head.following ? this.last : head.at;
    this.play.classList.toggle("playing", head.playing);
    this.play.ariaLabel = this.play.title = head.playing ? t("Pause") : t("Play");
    if (this.speed.selectedIndex !== speed) this.speed.selectedIndex = speed;
    const place =
      head.axis === "pass"
        ? t("pass {now} of {last}", { now: passesAt(sides, at), last: passesAt(sides, this.last) })
        : clockOf(at, this.last);
    say(this.where, `${place} ${axisTitle}`.trim());
    this.slider.ariaValueNow = at.toFixed(3);
    this.slider.ariaValueMax = this.last.toFixed(3);
    this.slider.ariaValueText = place;
    this.redraw = () => draw(this.track, sides, head.axis, at, this.last);
    this.redraw();
  }
}

/**
 * How many passes have been made at a place on the axis of passes, by the side that has made more. An edit has a place
 * there too, but is no pass.
 * @param {Side[]} sides
 * @param {number} at
 */
export function passesAt(sides, at) {
  const made = (/** @type {Side} */ { moments }) =>
    moments[Math.min(moments.length - 1, Math.floor(at + 1e-9))]?.passes ?? 0;
  return Math.max(0, ...sides.map(made));
}

/**
 * The first side's passes stand up, the second's hang down: height is tokens in a pass, the line is how sure it was.
 * @param {HTMLCanvasElement} canvas
 * @param {Side[]} sides
 * @param {"clock" | "pass"} axis
 * @param {number} at
 * @param {number} last
 */
function draw(canvas, sides, axis, at, last) {
  const sheet = surface(canvas);
  if (!sheet) return;
  const { pen, width, height } = sheet;
  const middle = Math.round(height / 2);
  const most = Math.max(
    4,
    ...sides.flatMap((side) => side.moments.map((m) => (m.kind === "pass" ? freshText(side, m) : 0))),
  );
  const x = (/** @type {number} */ time) => (last ? (time / last) * (width - 2) + 1 : 1);
  sides.forEach((side, i) => {
    const rows = times(side, axis);
    const up = i === 0 ? -1 : 1;
    const hue = colour(`side-${i}`);
    pen.fillStyle = pen.strokeStyle = hue;
    for (let m = 1; m < rows.length; m++) {
      const moment = side.moments[m];
      if (!moment) continue;
      const [from, to] = [x(rows[m - 1] ?? 0), x(rows[m] ?? 0)];
      pen.globalAlpha = (rows[m] ?? 0) <= at + 1e-9 ? 0.85 : 0.25;
      if (moment.kind === "edit") {
        if (moment.event?.edit?.own) continue; // no person did it
        pen.fillStyle = colour("mark");
        pen.fillRect(to - 1, up < 0 ? 0 : middle, 2, middle);
        pen.fillStyle = hue;
        continue;
      }
      const tall = Math.sqrt(freshText(side, moment) / most) * (middle - 4);
      const wide = Math.max(1, to - from - (to - from > 4 ? 1 : 0));
      pen.fillRect(from, up < 0 ? middle - tall : middle, wide, tall);
    }
    pen.globalAlpha = 0.9;
    pen.lineWidth = 1.25;
    pen.strokeStyle = colour("ink-2");
    pen.beginPath();
    let begun = false;
    for (let m = 1; m < rows.length; m++) {
      const moment = side.moments[m];
      if (moment?.kind !== "pass" || (rows[m] ?? 0) > at + 1e-9) continue;
      const [px, py] = [x(rows[m] ?? 0), middle + up * moment.mean * (middle - 4)];
      if (begun) pen.lineTo(px, py);
      else pen.moveTo(px, py);
      begun = true;
    }
    pen.stroke();
  });
  pen.globalAlpha = 1;
  pen.fillStyle = colour("line-strong");
  pen.fillRect(0, middle, width, 1);
  pen.fillStyle = colour("ink");
  pen.fillRect(Math.round(x(at)) - 1, 0, 2, height);
  pen.beginPath();
  pen.arc(x(at), middle, 5, 0, 7);
  pen.fill();
}
