/** Ghost letters over the words of a paper: what would stand there. Each is fitted into its word's place; no word moves. */

/** @typedef {import("./paper.js").Paper} Paper */

const LEAST = 13; // px of their letters
const NARROWEST = 0.74; // of the letters' size: below it they are squeezed
const SPACE = 0.19; // em beside a word that its ghost may use
const BASELINE = 0.2; // em of a line under its letters
const APART = 60; // ms from one to the next
const LATEST = 480;

export class Ghosts {
  /** @param {Paper} paper */
  constructor(paper) {
    this.paper = paper;
  }

  /** @type {Map<HTMLElement, {key: string, node: HTMLElement}>} by the word's place */
  shown = new Map();
  /** @type {Set<HTMLElement>} */
  thinking = new Set();

  /**
   * @param {ReadonlyMap<number, string>} words by cell
   * @param {ReadonlySet<number>} thinks cells that the model looks at again
   */
  show(words, thinks) {
    const { paper } = this;
    /** @type {Set<HTMLElement>} */
    const wanted = new Set();
    let late = 0;
    for (const [cell, text] of words) {
      const place = paper.cells[cell]?.place;
      const room = paper.placed?.at[cell]?.width;
      if (!place || room === undefined || !paper.drawn[cell]) continue;
      wanted.add(place);
      const key = `${text} ${room} ${paper.size}`;
      if (this.shown.get(place)?.key === key) continue;
      const old = this.shown.get(place);
      const node = ghost(text, room + SPACE, paper, old ? 0 : Math.min(LATEST, APART * late++));
      old?.node.remove();
      place.append(node);
      place.dataset.would = text ? "other" : "none";
      this.shown.set(place, { key, node });
    }
    for (const [place, { node }] of this.shown) {
      if (wanted.has(place)) continue;
      node.remove();
      delete place.dataset.would;
      this.shown.delete(place);
    }
    const places = [...thinks].flatMap((cell) => paper.cells[cell]?.place ?? []);
    for (const place of this.thinking) if (!places.includes(place)) place.removeAttribute("data-thinks");
    this.thinking = new Set(places.filter((place) => !wanted.has(place)));
    for (const place of this.thinking) place.toggleAttribute("data-thinks", true);
  }
}

/**
 * @param {string} text
 * @param {number} room em
 * @param {Paper} paper
 * @param {number} late ms
 */
function ghost(text, room, { size, measure }, late) {
  const node = document.createElement("span");
  const letters = document.createElement("span");
  node.className = "may";
  node.ariaHidden = "true";
  letters.textContent = text;
  const needs = Math.max(measure(text), 0.01);
  const small = Math.max(Math.min(1, LEAST / size), Math.min(1, Math.max(NARROWEST, room / needs)));
  letters.style.fontSize = `${small.toFixed(3)}em`;
  letters.style.scale = `${Math.min(1, room / (needs * small)).toFixed(3)} 1`;
  letters.style.marginBottom = `${((1 - small) * (BASELINE / small)).toFixed(3)}em`;
  letters.style.setProperty("--late", `${late}ms`);
  node.append(letters);
  return node;
}
