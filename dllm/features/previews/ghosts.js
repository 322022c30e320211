/**
 * Ghost letters over the words of a paper: what would stand there. No word moves.
 * Each ghost is fitted into its word's place; where one would be too narrow to read, the new text flows over the lines of the old.
 */

/** @typedef {import("../../assets/stage/paper.js").Paper} Paper */
/** @typedef {import("./foreseen.js").Word} Word */
/** @typedef {{cell: number, room: number}} Segment the part of a line that the text may use, from the place of a cell on, in em */

const LEAST = 13; // px of their letters
const NARROWEST = 0.74; // of the letters' size: below it they are squeezed
const UNREADABLE = 0.6; // of their width, squeezed: below it the text flows
const SPACE = 0.19; // em beside a word that its ghost may use
const BASELINE = 0.2; // em of a line under its letters
const APART = 60; // ms from one to the next
const LATEST = 480;

export class Ghosts {
  /** @param {Paper} paper */
  constructor(paper) {
    this.paper = paper;
  }

  /** @type {Map<HTMLElement, {key: string, node: HTMLElement | null}>} by the word's place */
  shown = new Map();
  /** @type {Set<HTMLElement>} */
  thinking = new Set();

  /**
   * @param {ReadonlyMap<number, string>} words by cell
   * @param {ReadonlySet<number>} thinks cells that the model looks at again
   * @param {import("./foreseen.js").Foreseen["between"]} [between] the new text, for where words do not fit into their places
   */
  show(words, thinks, between = null) {
    const { paper } = this;
    const flows = between && [...words].some(([cell, text]) => this.squeezed(cell, text) < UNREADABLE);
    const wanted = flows ? this.flow(between) : this.fit(words);
    for (const [place, { node }] of this.shown) {
      if (wanted.has(place)) continue;
      node?.remove();
      delete place.dataset.would;
      this.shown.delete(place);
    }
    const places = [...thinks].flatMap((cell) => paper.cells[cell]?.place ?? []);
    for (const place of this.thinking) if (!places.includes(place)) place.removeAttribute("data-thinks");
    this.thinking = new Set(places.filter((place) => !wanted.has(place)));
    for (const place of this.thinking) place.toggleAttribute("data-thinks", true);
  }

  /** How much of its width a ghost would keep.
   * @param {number} cell
   * @param {string} text
   */
  squeezed(cell, text) {
    const { size, measure, placed, drawn } = this.paper;
    const room = placed?.at[cell]?.width;
    if (room === undefined || !drawn[cell]) return 1;
    return (room + SPACE) / (measure(text) * Math.max(NARROWEST, LEAST / size) || 1);
  }

  /** Each word in the place of the one that it replaces.
   * @param {ReadonlyMap<number, string>} words
   */
  fit(words) {
    const { paper } = this;
    /** @type {Set<HTMLElement>} */
    const wanted = new Set();
    let late = 0;
    for (const [cell, text] of words) {
      const place = paper.cells[cell]?.place;
      const room = paper.placed?.at[cell]?.width;
      if (!place || room === undefined || !paper.drawn[cell]) continue;
      wanted.add(place);
      const draw = () => ghost(text, room + SPACE, paper);
      if (this.put(place, `${text} ${room} ${paper.size}`, text ? "other" : "none", draw, APART * late)) late++;
    }
    return wanted;
  }

  /** The new text over the lines of the old, as far as it fits.
   * @param {{from: number, to: number, words: Word[]}} between
   */
  flow({ from, to, words }) {
    const { paper } = this;
    const { segments, rest } = segmentsOf(paper, from, to);
    const { small, lines } = flowed(words, segments, paper.measure, LEAST / paper.size);
    /** @type {Set<HTMLElement>} */
    const wanted = new Set();
    for (const cell of rest) {
      const place = paper.cells[cell]?.place;
      if (!place) continue;
      wanted.add(place);
      const line = segments.findIndex((one) => one.cell === cell);
      const own = lines[line] ?? [];
      const room = segments[line]?.room ?? 0;
      const key = `flow ${small} ${room} ${paper.size} ${own.map(({ text, fresh }) => text + Number(fresh)).join("")}`;
      this.put(place, key, "flows", () => (line < 0 ? null : lineOf(own, room, small, paper.fromRight)), APART * line);
    }
    return wanted;
  }

  /** Whether a ghost is drawn anew.
   * @param {HTMLElement} place
   * @param {string} key
   * @param {string} would
   * @param {() => HTMLElement | null} draw
   * @param {number} late ms
   */
  put(place, key, would, draw, late) {
    const old = this.shown.get(place);
    if (old?.key === key) return false;
    const node = draw();
    node?.style.setProperty("--late", `${old ? 0 : Math.min(LATEST, late)}ms`);
    old?.node?.remove();
    if (node) place.append(node);
    place.dataset.would = would;
    this.shown.set(place, { key, node });
    return true;
  }
}

/**
 * The lines that the cells take; the last of a text may use the rest of its line.
 * @param {Paper} paper
 * @param {number} from
 * @param {number} to
 */
function segmentsOf({ placed, drawn, width, size }, from, to) {
  /** @type {Segment[]} */
  const segments = [];
  /** @type {number[]} */
  const rest = [];
  let begins = { x: 0, line: -1 };
  for (let cell = from; cell < to; cell++) {
    const at = placed?.at[cell];
    if (!at || !drawn[cell]) continue;
    rest.push(cell);
    if (at.line !== begins.line) [begins] = [at, segments.push({ cell, room: 0 })];
    const last = /** @type {Segment} */ (segments.at(-1));
    last.room = at.x + at.width - begins.x;
  }
  const last = segments.at(-1);
  if (last && !drawn.slice(to).some(Boolean)) last.room = width / size - begins.x;
  return { segments, rest };
}

/**
 * Words in lines, in letters small enough for all of them if they may be as small as that; what does not fit is left out.
 * @param {Word[]} words
 * @param {Segment[]} segments
 * @param {(text: string) => number} measure
 * @param {number} least of the letters' size
 */
export function flowed(words, segments, measure, least) {
  for (let small = 1; ; small -= 0.04) {
    const last = small - 0.04 < least;
    /** @type {Word[][]} */
    const lines = segments.map(() => []);
    let line = 0;
    let used = 0;
    const left = words.filter((word) => {
      if (line === segments.length) return true;
      const fits = () => used + measure(word.text) * small <= (segments[line]?.room ?? 0) + SPACE;
      while (line < segments.length && !fits()) [line, used] = [line + 1, 0];
      if (line === segments.length) return true;
      lines[line]?.push(word);
      used += measure(word.text) * small;
      return false;
    });
    if (!left.length) return { small, lines };
    if (!last) continue;
    const shown = lines.findLast((one) => one.length);
    if (shown) shown[shown.length - 1] = { text: " …", fresh: true };
    return { small, lines };
  }
}

/**
 * @param {Word[]} words
 * @param {number} room em
 * @param {number} small
 * @param {boolean} fromRight
 */
function lineOf(words, room, small, fromRight) {
  const node = document.createElement("span");
  node.className = "may line";
  node.ariaHidden = "true";
  node.dir = fromRight ? "rtl" : "ltr";
  node.style.width = `${room.toFixed(3)}em`;
  const letters = document.createElement("span");
  letters.style.fontSize = `${small.toFixed(3)}em`;
  words.forEach(({ text, fresh }, number) => {
    const word = document.createElement(fresh ? "b" : "span");
    word.textContent = number ? text : text.trimStart();
    letters.append(word);
  });
  node.append(letters);
  return node;
}

/**
 * @param {string} text
 * @param {number} room em
 * @param {Paper} paper
 */
function ghost(text, room, { size, measure }) {
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
  node.append(letters);
  return node;
}
