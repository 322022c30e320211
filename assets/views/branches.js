/** The branches of a run: a tree that one can walk, and in words what two of them disagree about. */

import { el, say } from "../looks/dom.js";

/**
 * @typedef {{name: string, end: number, left: string, since: number}} Branch
 * @typedef {"switch" | "compare" | "race" | "rename" | "drop"} BranchAct
 */

const SVG = "http://www.w3.org/2000/svg";
const STEP = 28; // px from row to row
const WIDE = 120;

/**
 * Where each branch is drawn: along time, from the moment it left another to its newest one. Pure.
 * @param {Branch[]} branches
 */
export function lines(branches) {
  const last = Math.max(1, ...branches.map(({ end }) => end));
  const place = (/** @type {number} */ moment) => Math.round((moment / last) * WIDE);
  return branches.map(({ name, end, left, since }, row) => {
    const parent = Math.max(
      0,
      branches.findIndex((one) => one.name === left),
    );
    return { name, row, parent: left ? parent : row, from: place(left ? since : 0), to: place(end) };
  });
}

/**
 * What two branches disagree about, in a sentence or two. Pure.
 * @param {Record<string, any>} comparison the answer to `compare`
 * @param {(token: number) => string} piece
 */
export function differenceOf(comparison, piece) {
  const { one, two, changed = [], only_one: fewer = [], only_two: more = [], edits = [[], []] } = comparison;
  const count = changed.length + fewer.length + more.length;
  const acts = (/** @type {any[]} */ made) => made.map((edit) => actOf(edit, piece)).join(", then ");
  const here = edits[1].length ? ` On branch ${two} you ${acts(edits[1])}.` : "";
  const there = edits[0].length ? ` On branch ${one} you ${acts(edits[0])}.` : "";
  if (!count) return `Branches ${one} and ${two} have the same words.${here}${there}`;
  const first = Math.min(...changed.map((/** @type {[number, number]} */ [, since]) => since));
  const since = Number.isFinite(first) ? `, the first ${first ? `${first} passes after they part` : "at once"}` : "";
  const cells = count === 1 ? "1 cell differs" : `${count} cells differ`;
  return `${cells} between branches ${one} and ${two}${since}.${here}${there}`;
}

/**
 * @param {Record<string, any>} edit
 * @param {(token: number) => string} piece
 */
function actOf(edit, piece) {
  const words = (/** @type {number[]} */ tokens) => `“${tokens.map(piece).join("").trim()}”`;
  switch (edit.do) {
    case "pin":
      return `pinned ${words(edit.tokens)}`;
    case "ban":
      return `${edit.lift ? "allowed" : "banned"} ${words([edit.token])}`;
    case "boost":
      return `boosted ${words([edit.token])}`;
    case "erase":
      return edit.cells.length === 1 ? "erased a word" : `erased ${edit.cells.length} words`;
    case "release":
      return "released a pin";
    case "stretch":
      return edit.by > 0 ? `inserted ${edit.by} cells` : `removed ${-edit.by} cells`;
    default:
      return "changed a setting";
  }
}

export class BranchesView {
  /** @param {(act: BranchAct, name: string, more?: string) => void} ask */
  constructor(ask) {
    this.ask = ask;
    this.tree = document.createElementNS(SVG, "svg");
    this.tree.setAttribute("aria-hidden", "true");
    this.rows = el("ul", {});
    this.words = el("p", { className: "difference", role: "status" });
    this.node = el("nav", { className: "branches", "aria-label": "Branches", hidden: true }, this.rows, this.words);
    this.rows.before(this.tree);
  }

  /** @type {unknown[]} */
  seen = [];

  /** @param {import("../wire/store.js").Side} side */
  show(side) {
    const seen = [side.tree, side.branch, side.comparison];
    if (seen.every((one, i) => one === this.seen[i])) return;
    this.seen = seen;
    this.node.hidden = side.tree.length < 2;
    if (this.node.hidden) return;
    this.draw(lines(side.tree), side.branch);
    this.rows.replaceChildren(...side.tree.map((branch) => this.row(branch, side)));
    const piece = (/** @type {number} */ token) => side.pieces.get(token) ?? "";
    say(this.words, side.comparison ? differenceOf(side.comparison, piece) : "");
  }

  /**
   * @param {ReturnType<typeof lines>} drawn
   * @param {string} present
   */
  draw(drawn, present) {
    this.tree.setAttribute("viewBox", `-4 0 ${WIDE + 8} ${drawn.length * STEP}`);
    this.tree.setAttribute("width", String(WIDE + 8));
    this.tree.setAttribute("height", String(drawn.length * STEP));
    const paths = drawn.map(({ name, row, parent, from, to }) => {
      const path = document.createElementNS(SVG, "path");
      const [y, above] = [(row + 0.5) * STEP, (parent + 0.5) * STEP];
      path.setAttribute("d", `M ${from} ${above} V ${y} H ${to}`);
      path.setAttribute("class", name === present ? "present" : "");
      return path;
    });
    this.tree.replaceChildren(...paths);
  }

  /**
   * @param {Branch} branch
   * @param {import("../wire/store.js").Side} side
   */
  row({ name }, side) {
    const here = name === side.branch;
    const button = (/** @type {string} */ text, /** @type {string} */ title, /** @type {() => void} */ onclick) =>
      el("button", { type: "button", title, onclick }, text);
    const go = button(name, here ? "This branch is shown" : `Go to branch ${name}`, () => this.ask("switch", name));
    go.classList.add("name");
    if (here) go.setAttribute("aria-current", "true");
    const rename = button("Rename", `Give branch ${name} another name`, () => {
      const field = el("input", { type: "text", value: name, maxLength: 40, "aria-label": "Name of the branch" });
      const end = () => field.replaceWith(go);
      field.addEventListener("keydown", (event) => {
        event.stopPropagation(); // the stage has keys of its own
        if (event.key === "Enter" && field.value.trim() && field.value !== name) this.ask("rename", name, field.value);
        if (event.key === "Enter" || event.key === "Escape") end();
      });
      go.replaceWith(field);
      field.select();
    });
    const others = here
      ? []
      : [
          button("Compare", `What differs between branch ${name} and branch ${side.branch}`, () =>
            this.ask("compare", name),
          ),
          button("Race", `Play branch ${name} on the other side, look by look against branch ${side.branch}`, () =>
            this.ask("race", name),
          ),
          button("Delete", `Forget branch ${name}`, () => this.ask("drop", name)),
        ];
    return el("li", { "data-branch": name }, go, rename, ...others);
  }
}
