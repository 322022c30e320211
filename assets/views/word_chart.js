/** How the likeliest words of a cell rose and fell, look by look, until one of them was written: a line for each. */

import { t } from "../looks/language.js";
import { percent } from "../cells/face.js";
import { nothing, render } from "../vendor/lit-html.js";
import { named } from "./axis.js";
import { lineChart } from "./line_chart.js";
import { heightOf, lineOf } from "./word_lines.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("./belief.js").Candidate} Candidate */
/** @typedef {import("./word_lines.js").Look} Look */

export class WordChart {
  node = document.createElement("div");
  /** @type {{side: Side, looks: Look[], words: Candidate[], standing: number} | null} */
  shown = null;
  key = "";
  lit = -1; // the word whose line stands out

  /** @param {(moment: number) => void} jump */
  constructor(jump) {
    this.jump = jump;
    this.node.className = "word-chart";
    this.node.hidden = true;
  }

  /** Why a line breaks; empty where none does. */
  get breaks() {
    const { looks = [] } = this.shown ?? {};
    const breaks = looks.length > 1 && looks.some(({ shares }) => shares.includes(null));
    return breaks ? t("A line breaks where its word was not among the five.") : "";
  }

  /**
   * @param {Side} side
   * @param {Look[]} looks
   * @param {Candidate[]} words
   * @param {number} standing the token that the cell holds
   */
  show(side, looks, words, standing) {
    this.node.hidden = looks.length < 2;
    const key = JSON.stringify([looks, words, standing]);
    if (key === this.key) return;
    this.key = key;
    this.shown = { side, looks, words, standing };
    this.draw();
  }

  /** Let the line of one word stand out.
   * @param {number} which
   */
  light(which) {
    this.lit = which;
    this.draw();
  }

  draw() {
    const { side, looks, words, standing } = this.shown ?? { looks: [], words: [], standing: NaN };
    const height = heightOf(looks);
    const lines = words
      .map(({ token }, i) => ({
        token,
        path: lineOf(looks, i, height),
        name: `${token === standing ? "standing" : "word"}${i === this.lit ? " lit" : ""}`,
        word: i,
      }))
      .sort((a, b) => Number(a.token === standing) - Number(b.token === standing));
    const passes = looks.map(({ at }) => side?.moments[at]?.passes ?? 0);
    const marks = named(looks.length).map((i) => ({
      at: i / Math.max(1, looks.length - 1),
      text: i ? String(passes[i]) : t("look {look}", { look: passes[i] ?? 0 }),
    }));
    const pick = (/** @type {number} */ across) => {
      const look = looks[Math.round(across * (looks.length - 1))];
      if (look) this.jump(look.at);
    };
    render(looks.length ? lineChart(lines, [percent(0), percent(height)], marks, pick) : nothing, this.node);
  }
}
