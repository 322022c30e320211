/** How the likeliest words of a cell rose and fell, look by look, until one of them was written: a line for each. */

import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { percent } from "../cells/face.js";
import { beliefAt, placeOf } from "./belief.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("./belief.js").Candidate} Candidate */
/** @typedef {{at: number, shares: (number | null)[]}} Look what a look gave each word; null if it was not among its five */

const SVG = "http://www.w3.org/2000/svg";
const WIDE = 1000;
const TALL = 100;
const HEIGHTS = [0.05, 0.1, 0.25, 0.5, 1]; // where the axis may end
const NUMBERS = 4; // looks named under the axis, at most

/**
 * What each look up to the one that is known gave these words. Pure.
 * @param {Side} side
 * @param {number} at
 * @param {number} cell
 * @param {{at: number, candidates: Candidate[]}} belief
 * @returns {Look[]}
 */
export function looksAt(side, at, cell, belief) {
  const place = placeOf(side, at, cell, belief.at);
  const answer = side.peeks.get(`${place}:${belief.at}`);
  if (answer?.shares) return answer.shares.map((/** @type {any[]} */ [moment, ...shares]) => ({ at: moment, shares }));
  /** @type {Look[]} */
  const looks = [];
  for (let m = 1; m <= belief.at; m++) {
    if (side.moments[m]?.kind !== "pass") continue;
    const there = beliefAt(side, m, placeOf(side, at, cell, m))?.candidates;
    if (!there?.length) continue;
    looks.push({ at: m, shares: belief.candidates.map((c) => there.find((o) => o.token === c.token)?.share ?? null) });
  }
  return looks;
}

/** The end of the axis for these looks. Pure.
 * @param {Look[]} looks
 */
export function heightOf(looks) {
  const most = Math.max(0, ...looks.flatMap(({ shares }) => shares.map((share) => share ?? 0)));
  return HEIGHTS.find((one) => most <= one) ?? 1;
}

/** The line of a word; it breaks in looks that did not have it among their five. Pure.
 * @param {Look[]} looks
 * @param {number} which
 * @param {number} height
 */
export function lineOf(looks, which, height) {
  let path = "";
  let drawn = false;
  looks.forEach(({ shares }, i) => {
    const share = shares[which];
    if (share === null || share === undefined) {
      drawn = false;
      return;
    }
    const x = looks.length > 1 ? (WIDE * i) / (looks.length - 1) : 0;
    const y = TALL * (1 - share / height);
    path += `${drawn ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}${drawn ? "" : "h0"}`;
    drawn = true;
  });
  return path;
}

/** Which looks are named under the axis: the first, the last, and a few between. Pure.
 * @param {number} count
 */
export function named(count) {
  const step = Math.max(1, Math.ceil((count - 1) / (NUMBERS - 1)));
  const kept = Array.from({ length: count }, (_, i) => i).filter((i) => i % step === 0);
  const last = kept[kept.length - 1] ?? 0;
  if (last === count - 1 || count < 1) return kept;
  if (count - 1 - last <= step / 2) kept.pop(); // it would touch the last one
  return [...kept, count - 1];
}

export class WordChart {
  /** @param {(moment: number) => void} jump */
  constructor(jump) {
    this.lines = document.createElementNS(SVG, "svg");
    this.lines.setAttribute("viewBox", `0 0 ${WIDE} ${TALL}`);
    this.lines.setAttribute("preserveAspectRatio", "none");
    this.lines.setAttribute("aria-hidden", "true");
    this.most = el("span", { className: "most", "aria-hidden": "true" });
    this.least = el("span", { className: "least", "aria-hidden": "true" }, percent(0));
    this.numbers = el("ol", { "aria-hidden": "true" });
    this.breaks = el("p", { className: "breaks" });
    this.field = el("div", { className: "field" }, this.lines);
    this.field.addEventListener("click", (event) => {
      const box = this.field.getBoundingClientRect();
      const look = this.looks[Math.round(((event.clientX - box.left) / box.width) * (this.looks.length - 1))];
      if (look) jump(look.at);
    });
    this.node = el("div", { className: "word-chart", hidden: true }, this.most, this.field, this.least, this.numbers);
  }

  /** @type {Look[]} */
  looks = [];
  drawn = "";

  /**
   * @param {Side} side
   * @param {Look[]} looks
   * @param {Candidate[]} words
   * @param {number} standing the token that the cell holds
   */
  show(side, looks, words, standing) {
    this.node.hidden = looks.length < 2;
    const key = JSON.stringify([looks, words, standing]);
    if (key === this.drawn) return;
    this.drawn = key;
    this.looks = looks;
    const height = heightOf(looks);
    const names = named(looks.length);
    const grid = names.map((i) => `M${((WIDE * i) / Math.max(1, looks.length - 1)).toFixed(1)} ${TALL}v-${TALL}`);
    this.lines.replaceChildren(
      pathOf(`M0 0H${WIDE}M0 ${TALL / 2}H${WIDE}M0 ${TALL}H${WIDE}${grid.join("")}`, "grid"),
      ...words
        .map(({ token }, i) => ({ path: lineOf(looks, i, height), name: token === standing ? "standing" : "word", i }))
        .sort((a, b) => Number(a.name === "standing") - Number(b.name === "standing"))
        .map(({ path, name, i }) => pathOf(path, name, i)),
    );
    say(this.most, percent(height));
    const passes = looks.map(({ at }) => side.moments[at]?.passes ?? 0);
    this.numbers.replaceChildren(
      ...names.map((i) => {
        const number = el("li", {}, i ? String(passes[i]) : t("look {look}", { look: passes[i] ?? 0 }));
        number.style.left = `${(100 * i) / Math.max(1, looks.length - 1)}%`;
        return number;
      }),
    );
    const breaks = looks.some(({ shares }) => shares.includes(null));
    say(this.breaks, breaks && looks.length > 1 ? t("A line breaks where its word was not among the five.") : "");
  }

  /** Let the line of one word stand out.
   * @param {number} which
   */
  light(which) {
    for (const line of this.lines.querySelectorAll("[data-word]"))
      line.classList.toggle("lit", line.getAttribute("data-word") === String(which));
  }
}

/**
 * @param {string} d
 * @param {string} name
 * @param {number} [word]
 */
function pathOf(d, name, word) {
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", d);
  path.setAttribute("class", name);
  if (word !== undefined) path.setAttribute("data-word", String(word));
  return path;
}
