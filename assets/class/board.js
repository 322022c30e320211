/** A schedule as it is made and shown: each cell has the number of the pass that writes it. */

import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";

/** @typedef {import("./room.js").Game} Game */

const WIDE = { sudoku4: 4 }; // cells of a row; others stand in one

/** How many cells each pass writes.
 * @param {string} digits
 */
export function sizes(digits) {
  const found = [...new Set(digits)].sort();
  return found.map((digit) => [...digits].filter((one) => one === digit).length);
}

/** The next pass that a cell may be in.
 * @param {string} digits
 * @param {number} cell
 * @param {number} passes
 */
export function moved(digits, cell, passes) {
  const next = (Number(digits[cell]) % passes) + 1;
  return `${digits.slice(0, cell)}${next}${digits.slice(cell + 1)}`;
}

/** A schedule in little, to be looked at.
 * @param {string} digits
 * @param {string} world
 */
export function drawn(digits, world) {
  const node = el("span", { className: "class-plan", role: "img", ariaLabel: t("looks {digits}", { digits }) });
  node.append(...[...digits].map((digit) => cell("span", digit)));
  return inRows(node, world);
}

export class Board {
  /** @param {(digits: string) => void} give */
  constructor(give) {
    this.cells = el("div", { className: "class-plan", role: "group", ariaLabel: t("Cells") });
    this.sum = el("p", {});
    this.send = el(
      "button",
      { type: "button", className: "primary", onclick: () => give(this.digits) },
      t("Hand it in"),
    );
    this.node = el("div", { className: "class-board", hidden: true }, this.cells, this.sum, this.send);
  }

  digits = "";
  game = "";
  passes = 1;

  /** @param {Game | null} game what is played, or nothing */
  show(game) {
    this.node.hidden = !game;
    const name = JSON.stringify(game && [game.world, game.passes]);
    if (name === this.game) return;
    this.game = name;
    if (!game) return;
    this.passes = game.passes;
    this.digits = "1".repeat(game.cells);
    inRows(this.cells, game.world);
    this.cells.replaceChildren(
      ...Array.from({ length: game.cells }, (_, at) => {
        const node = cell("button", "1");
        node.addEventListener("click", () => {
          this.digits = moved(this.digits, at, this.passes);
          this.draw();
        });
        return node;
      }),
    );
    this.draw();
  }

  /** What was handed in, on a page that is loaded again.
   * @param {string} digits
   */
  take(digits) {
    if (digits.length !== this.digits.length) return;
    this.digits = digits;
    this.draw();
  }

  draw() {
    [...this.cells.children].forEach((node, at) => {
      const pass = this.digits[at] ?? "1";
      say(node, pass);
      node.setAttribute("data-pass", pass);
      node.setAttribute("aria-label", t("cell {cell}: look {pass}", { cell: at + 1, pass }));
    });
    say(this.sum, t("Cells in each look: {sizes}", { sizes: sizes(this.digits).join(", ") }));
  }
}

/**
 * @param {"span" | "button"} tag
 * @param {string} digit
 */
function cell(tag, digit) {
  const node = el(tag, tag === "button" ? { type: "button" } : {}, digit);
  node.dataset.pass = digit;
  return node;
}

/**
 * @template {HTMLElement} T
 * @param {T} node
 * @param {string} world
 */
function inRows(node, world) {
  const row = /** @type {Record<string, number>} */ (WIDE)[world.split(":")[0] ?? ""];
  node.style.gridTemplateColumns = row ? `repeat(${row}, auto)` : "";
  return node;
}
