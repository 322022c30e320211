/** The branches of a run: a tree that one can walk, and in words what two of them disagree about. */

import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";

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
  const acts = (/** @type {any[]} */ made) => made.map((edit) => actOf(edit, piece)).join(`, ${t("then")} `);
  const on = (/** @type {string} */ name, /** @type {any[]} */ made) =>
    made.length ? ` ${t("On branch {name} you {acts}.", { name, acts: acts(made) })}` : "";
  const rest = `${on(two, edits[1])}${on(one, edits[0])}`;
  if (!count) return `${t("Branches {one} and {two} have the same words.", { one, two })}${rest}`;
  const first = Math.min(...changed.map((/** @type {[number, number]} */ [, since]) => since));
  const differ =
    count === 1
      ? t("1 cell differs between branches {one} and {two}.", { one, two })
      : t("{n} cells differ between branches {one} and {two}.", { n: count, one, two });
  if (!Number.isFinite(first)) return `${differ}${rest}`;
  const since = first
    ? t("The first differs {n} looks after they part.", { n: first })
    : t("The first differs at once.");
  return `${differ} ${since}${rest}`;
}

/**
 * @param {Record<string, any>} edit
 * @param {(token: number) => string} piece
 */
function actOf(edit, piece) {
  const words = (/** @type {number[]} */ tokens) => `“${tokens.map(piece).join("").trim()}”`;
  switch (edit.do) {
    case "pin":
      return t("pinned {words}", { words: words(edit.tokens) });
    case "ban":
      return edit.lift
        ? t("allowed {words}", { words: words([edit.token]) })
        : t("banned {words}", { words: words([edit.token]) });
    case "boost":
      return t("boosted {words}", { words: words([edit.token]) });
    case "erase":
      return edit.cells.length === 1 ? t("erased a word") : t("erased {n} words", { n: edit.cells.length });
    case "release":
      return t("released a pin");
    case "stretch":
      return edit.by > 0 ? t("inserted {n} cells", { n: edit.by }) : t("removed {n} cells", { n: -edit.by });
    default:
      return t("changed a setting");
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
    this.node = el("nav", { className: "branches", "aria-label": t("Branches"), hidden: true }, this.rows, this.words);
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
    const go = button(name, here ? t("This branch is shown") : t("Go to branch {name}", { name }), () =>
      this.ask("switch", name),
    );
    go.classList.add("name");
    if (here) go.setAttribute("aria-current", "true");
    const rename = button(t("Rename"), t("Give branch {name} another name", { name }), () => {
      const field = el("input", { type: "text", value: name, maxLength: 40, "aria-label": t("Name of the branch") });
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
          button(
            t("Compare"),
            t("What differs between branch {one} and branch {two}", { one: name, two: side.branch }),
            () => this.ask("compare", name),
          ),
          button(
            t("Race"),
            t("Play branch {one} on the other side, look by look against branch {two}", {
              one: name,
              two: side.branch,
            }),
            () => this.ask("race", name),
          ),
          button(t("Delete"), t("Forget branch {name}", { name }), () => this.ask("drop", name)),
        ];
    return el("li", { "data-branch": name }, go, rename, ...others);
  }
}
