/** The page's few words of the trade, each explained where a pointer or the keyboard rests on it. */

import { el } from "./dom.js";

/** @type {Record<string, string>} */
export const TERMS = {
  cell: "One place in the text. It holds one token: a word, a part of a word, or a mark.",
  pass: "One look of the model at the whole text. After each, some cells are written.",
  confidence: "The probability that the model gives to its best guess for a cell.",
  entropy: "How many words the model wavers between, in nats: 0 is one word, 2.3 about ten.",
  decoder: "The rule that decides which cells are written in a look.",
  block: "A stretch of cells that is finished before the next stretch begins.",
};

/** The list of them.  */
export class Terms extends HTMLElement {
  connectedCallback() {
    if (this.childElementCount) return;
    const words = Object.entries(TERMS).map(([word, says], i) => {
      const tip = el("span", { role: "tooltip", id: `unmask-term-${i}` }, says);
      return el("span", { className: "term" }, el("dfn", { tabIndex: 0, "aria-describedby": tip.id }, word), tip);
    });
    this.append(el("span", {}, "What is a "), ...words);
  }
}
