/** The chart of the crossing: tokens a second against users at once, for both sides, on logarithmic axes. */

import { t } from "../looks/language.js";
import { USERS } from "./crossing.js";

/** @typedef {import("./crossing.js").Point} Point */

const SVG = "http://www.w3.org/2000/svg";
const [WIDE, HIGH, LEFT, RIGHT, TOP, FOOT] = [640, 300, 78, 14, 12, 44];
const INKS = ["#0b5a8f", "#7a4a12"]; // in a file of its own; on the page the theme's

/**
 * @param {import("./crossing.js").Crossing} found
 * @param {[string, string]} names of the sides
 * @param {number} users that were chosen
 * @returns {SVGSVGElement}
 */
export function chart(found, names, users) {
  const svg = shape("svg", {
    viewBox: `0 0 ${WIDE} ${HIGH}`,
    role: "img",
    "font-family": "sans-serif",
    "font-size": 12,
  });
  const sides = [found.run, found.twin];
  const values = sides
    .flat()
    .flatMap(({ perUser, total }) => [perUser, total])
    .filter((value) => value > 0);
  if (!values.length) return svg;
  const bottom = Math.floor(Math.log10(Math.min(...values)));
  const top = Math.max(Math.ceil(Math.log10(Math.max(...values))), bottom + 1);
  const last = Math.log2(USERS[USERS.length - 1] ?? 2);
  const x = (/** @type {number} */ n) => LEFT + (Math.log2(n) / last) * (WIDE - LEFT - RIGHT);
  const y = (/** @type {number} */ value) =>
    HIGH - FOOT - ((Math.log10(value) - bottom) / (top - bottom)) * (HIGH - TOP - FOOT);
  for (let power = bottom; power <= top; power++) {
    svg.append(shape("path", { class: "rule", d: `M${LEFT} ${y(10 ** power)}H${WIDE - RIGHT}`, stroke: "#ddd" }));
    svg.append(label(LEFT - 8, y(10 ** power) + 4, (10 ** power).toLocaleString("en"), "end"));
  }
  for (const n of USERS) svg.append(label(x(n), HIGH - FOOT + 18, String(n), "middle"));
  svg.append(label((LEFT + WIDE - RIGHT) / 2, HIGH - 4, t("users at once"), "middle"));
  const marks = { class: "now", d: `M${x(users)} ${TOP}V${HIGH - FOOT}`, stroke: "#888" };
  svg.append(shape("path", marks));
  sides.forEach((points, side) => {
    for (const [which, dash] of /** @type {const} */ ([
      ["perUser", ""],
      ["total", "6 4"],
    ])) {
      const drawn = points.filter((point) => point[which] > 0);
      const d = drawn
        .map((point, i) => `${i ? "L" : "M"}${x(point.users).toFixed(1)} ${y(point[which]).toFixed(1)}`)
        .join("");
      const line = { class: `line side-${side} ${which}`, d, fill: "none", stroke: INKS[side], "stroke-width": 2.5 };
      svg.append(shape("path", dash ? { ...line, "stroke-dasharray": dash } : line));
    }
  });
  if (Number.isFinite(found.at)) {
    const at = x(found.at);
    const cross = { class: "cross", d: `M${at} ${TOP}V${HIGH - FOOT}`, stroke: "#888", "stroke-dasharray": "2 3" };
    svg.append(shape("path", cross));
    const right = at > WIDE - 180;
    svg.append(
      label(at + (right ? -6 : 6), TOP + 10, t("they cross at {n} users", { n: found.at }), right ? "end" : "start"),
    );
  }
  svg.prepend(title(t("Tokens a second against users at once: {one} and {two}", { one: names[0], two: names[1] })));
  return svg;
}

/** The chart as a file of its own.
 * @param {SVGSVGElement} svg
 */
export function toSvg(svg) {
  const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
  copy.setAttribute("xmlns", SVG);
  copy.prepend(shape("rect", { width: "100%", height: "100%", fill: "#fff" }));
  return new XMLSerializer().serializeToString(copy);
}

/** @param {string} text */
function title(text) {
  const node = shape("title", {});
  node.textContent = text;
  return node;
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} text
 * @param {"start" | "middle" | "end"} anchor
 */
function label(x, y, text, anchor) {
  const node = shape("text", { x: x.toFixed(1), y: y.toFixed(1), "text-anchor": anchor, fill: "#444" });
  node.textContent = text;
  return node;
}

/**
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} name
 * @param {Record<string, any>} attributes
 * @returns {SVGElementTagNameMap[T]}
 */
function shape(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  return node;
}
