/** How the likeliest words of a cell rose and fell, look by look, until one of them was written: a line for each. */

import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { percent } from "../cells/face.js";
import { beliefAt, placeOf } from "./belief.js";
import { LineChart, TALL, WIDE, named } from "./line_chart.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("./belief.js").Candidate} Candidate */
/** @typedef {{at: number, shares: (number | null)[]}} Look what a look gave each word; null if it was not among its five */

const HEIGHTS = [0.05, 0.1, 0.25, 0.5, 1]; // where the axis may end

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

export class WordChart {
  /** @param {(moment: number) => void} jump */
  constructor(jump) {
    this.chart = new LineChart((across) => {
      const look = this.looks[Math.round(across * (this.looks.length - 1))];
      if (look) jump(look.at);
    });
    this.breaks = el("p", { className: "breaks" });
    this.node = el("div", { className: "word-chart", hidden: true }, this.chart.node);
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
    const lines = words
      .map(({ token }, i) => ({ token, path: lineOf(looks, i, height), data: { word: String(i) } }))
      .sort((a, b) => Number(a.token === standing) - Number(b.token === standing))
      .map(({ token, path, data }) => ({ path, data, name: token === standing ? "standing" : "word" }));
    const passes = looks.map(({ at }) => side.moments[at]?.passes ?? 0);
    const marks = named(looks.length).map((i) => ({
      at: i / Math.max(1, looks.length - 1),
      text: i ? String(passes[i]) : t("look {look}", { look: passes[i] ?? 0 }),
    }));
    this.chart.show(lines, [percent(0), percent(height)], marks);
    const breaks = looks.some(({ shares }) => shares.includes(null));
    say(this.breaks, breaks && looks.length > 1 ? t("A line breaks where its word was not among the five.") : "");
  }

  /** Let the line of one word stand out.
   * @param {number} which
   */
  light(which) {
    for (const line of this.chart.svg.querySelectorAll("[data-word]"))
      line.classList.toggle("lit", line.getAttribute("data-word") === String(which));
  }
}
