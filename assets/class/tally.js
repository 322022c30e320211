/** Answers of a class over the canvas: how many chose each cell, or which words were given for one. Always only text. */

import { el } from "../looks/dom.js";

/** @typedef {import("./room.js").Question} Question */
/** @typedef {import("./room.js").Revealed} Revealed */

export class Tally {
  constructor() {
    this.node = el("div", { className: "class-tally", "aria-hidden": "true" });
    document.body.append(this.node);
    const place = () => this.place();
    addEventListener("resize", place);
    const stage = document.querySelector("unmask-stage");
    if (stage) new ResizeObserver(place).observe(stage);
    addEventListener("scroll", place, { capture: true, passive: true });
  }

  /** @type {{cell: number, mark: HTMLElement}[]} */
  marks = [];
  side = 0;
  drawn = "";

  /**
   * @param {number} side of the stage
   * @param {Question | null} question
   * @param {Revealed | undefined} revealed
   */
  show(side, question, revealed) {
    const key = JSON.stringify([side, question?.cell, question?.kind, revealed]);
    if (key !== this.drawn) {
      this.drawn = key;
      this.side = side;
      this.marks = revealed ? answers(revealed) : question?.kind === "word" ? marked(question) : [];
      this.node.replaceChildren(...this.marks.map(({ mark }) => mark));
    }
    this.place();
  }

  place() {
    for (const { cell, mark } of this.marks) {
      const found = document.querySelector(`.side[data-side="${this.side}"] [data-cell="${cell}"]`);
      const box = found?.getBoundingClientRect();
      mark.hidden = !box?.width;
      if (box) mark.style.translate = `${Math.round(box.left + box.width / 2)}px ${Math.round(box.top)}px`;
    }
  }
}

/** @param {Question} question */
function marked({ cell = 0 }) {
  return [{ cell, mark: el("span", { className: "class-question" }, "?") }];
}

/** @param {Revealed} revealed */
function answers({ kind, tally, right, cell = 0 }) {
  if (kind === "cell") {
    const counts = new Map(tally.map(([text, count]) => [Number(text), count]));
    for (const one of right) if (!counts.has(Number(one))) counts.set(Number(one), 0);
    return Array.from(counts, ([at, count]) => {
      const mark = el("span", { className: "class-count" }, String(count));
      mark.dataset.right = String(right.includes(String(at)));
      return { cell: at, mark };
    });
  }
  const most = Math.max(1, ...tally.map(([, count]) => count));
  const folded = right.map((text) => text.trim().toLowerCase());
  const rows = tally.slice(0, 6).map(([text, count]) => {
    const bar = el("i", {});
    bar.style.width = `${Math.round((100 * count) / most)}%`;
    const row = el("span", { className: "class-word" }, bar, el("strong", {}, text), String(count));
    row.dataset.right = String(folded.includes(text.trim().toLowerCase()));
    return row;
  });
  return [{ cell, mark: el("span", { className: "class-words" }, ...rows) }];
}
