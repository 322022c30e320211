/** Answers of a class over the canvas: how many chose each cell, or which words were given for one. Always only text. */

import { html, render } from "../../assets/vendor/lit-html.js";

/** @typedef {import("./room.js").Question} Question */
/** @typedef {import("./room.js").Revealed} Revealed */
/** @typedef {{cell: number, drawn: import("../../assets/vendor/lit-html.js").TemplateResult}} Mark */

const MOST = 6; // words of a cell that are listed

export class Tally {
  node = document.createElement("div");

  constructor() {
    this.node.className = "class-tally";
    this.node.ariaHidden = "true";
    document.body.append(this.node);
    const place = () => this.place();
    addEventListener("resize", place);
    const stage = document.querySelector("unmask-stage");
    if (stage) new ResizeObserver(place).observe(stage);
    addEventListener("scroll", place, { capture: true, passive: true });
  }

  /** @type {Mark[]} */
  marks = [];
  side = 0;
  shown = "";

  /**
   * @param {number} side of the stage
   * @param {Question | null} question
   * @param {Revealed | undefined} revealed
   */
  show(side, question, revealed) {
    const key = JSON.stringify([side, question?.cell, question?.kind, revealed]);
    if (key !== this.shown) {
      this.shown = key;
      this.side = side;
      this.marks = revealed ? answers(revealed) : question?.kind === "word" ? asks(question) : [];
      render(
        this.marks.map(({ drawn }) => drawn),
        this.node,
      );
    }
    this.place();
  }

  place() {
    this.marks.forEach(({ cell }, i) => {
      const mark = this.node.children[i];
      const found = document.querySelector(`.side[data-side="${this.side}"] [data-cell="${cell}"]`);
      const box = found?.getBoundingClientRect();
      if (!(mark instanceof HTMLElement)) return;
      mark.hidden = !box?.width;
      if (box) mark.style.translate = `${Math.round(box.left + box.width / 2)}px ${Math.round(box.top)}px`;
    });
  }
}

/**
 * @param {Question} question
 * @returns {Mark[]}
 */
function asks({ cell = 0 }) {
  return [{ cell, drawn: html`<span class="class-question">?</span>` }];
}

/**
 * @param {Revealed} revealed
 * @returns {Mark[]}
 */
function answers({ kind, tally, right, cell = 0 }) {
  if (kind === "cell") {
    const counts = new Map(tally.map(([text, count]) => [Number(text), count]));
    for (const one of right) if (!counts.has(Number(one))) counts.set(Number(one), 0);
    return Array.from(counts, ([at, count]) => ({
      cell: at,
      drawn: html`<span class="class-count" data-right=${right.includes(String(at))}>${count}</span>`,
    }));
  }
  const most = Math.max(1, ...tally.map(([, count]) => count));
  const fold = (/** @type {string} */ text) => text.trim().toLowerCase();
  const correct = new Set(right.map(fold));
  const rows = tally
    .slice(0, MOST)
    .map(
      ([text, count]) =>
        html`<span class="class-word" data-right=${correct.has(fold(text))}
          ><i style="width: ${Math.round((100 * count) / most)}%"></i><strong>${text}</strong>${count}</span
        >`,
    );
  return [{ cell, drawn: html`<span class="class-words">${rows}</span>` }];
}
