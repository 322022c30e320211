/** One pass back and on, start, end, and how fast a run plays. */

import { el } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { SPEEDS } from "../clock/playhead.js";

const ICONS = {
  start: "M5 4v16M20 4 9 12l11 8z",
  back: "M17 4 6 12l11 8z",
  on: "M7 4l11 8-11 8z",
  end: "M19 4v16M4 4l11 8-11 8z",
};

/** @param {keyof typeof ICONS} name */
function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

export class Steps {
  /** @param {{step: (by: 1 | -1) => void, seek: (to: number) => void, pace: (index: number) => void}} handlers */
  constructor(handlers) {
    const press = (/** @type {keyof typeof ICONS} */ name, /** @type {string} */ label, /** @type {() => void} */ go) =>
      el("button", { type: "button", className: name, "aria-label": label, title: label, onclick: go }, icon(name));
    this.speed = el(
      "select",
      { "aria-label": t("Speed"), onchange: () => handlers.pace(this.speed.selectedIndex) },
      ...SPEEDS.map(({ name }) => el("option", {}, t(name))),
    );
    this.node = el(
      "div",
      { className: "steps", role: "group", "aria-label": t("Step by step") },
      press("start", t("To the start"), () => handlers.seek(0)),
      press("back", t("One look back"), () => handlers.step(-1)),
      press("on", t("One look on"), () => handlers.step(1)),
      press("end", t("To the end"), () => handlers.seek(Infinity)),
      el("label", {}, el("span", {}, t("Speed")), this.speed),
    );
  }

  /** @param {number} speed */
  show(speed) {
    if (this.speed.selectedIndex !== speed) this.speed.selectedIndex = speed;
  }
}
