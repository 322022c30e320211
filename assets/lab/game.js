/** Beat the schedule: choose which cells are written next; the fewest passes that still end right win. */

import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { ask } from "./ask.js";
import { choice } from "./sweep.js";
import { WORLDS } from "./worlds.js";

export class Game {
  constructor() {
    this.seed = Math.floor(Math.random() * 1e6);
    /** @type {number[][]} */
    this.turns = [];
    /** @type {Set<number>} */
    this.chosen = new Set();
    /** @type {any} */
    this.row = null;
    this.world = choice(Object.fromEntries(Object.entries(WORLDS).map(([name, { title }]) => [name, t(title)])));
    this.world.onchange = () => void this.begin();
    this.board = el("div", { className: "lab-board", role: "group", ariaLabel: t("cells to choose") });
    this.write = el(
      "button",
      { type: "button", className: "primary", disabled: true, onclick: () => void this.turn() },
      t("Write these"),
    );
    this.status = el("p", { role: "status", className: "lab-status" });
    this.node = el(
      "div",
      { className: "lab-game" },
      el(
        "p",
        {},
        t(
          "The model here is never wrong. But words drawn in one look do not know of each other. Choose cells, write them, and end with a right text in as few looks as you dare.",
        ),
      ),
      el(
        "div",
        { className: "lab-row" },
        el("label", {}, t("Write"), this.world),
        this.write,
        el("button", { type: "button", onclick: () => void this.begin() }, t("New game")),
      ),
      this.board,
      this.status,
    );
    this.draw();
    say(this.status, t("Press New game."));
  }

  async begin() {
    this.seed = Math.floor(Math.random() * 1e6);
    this.turns = [];
    await this.ask();
  }

  async turn() {
    this.turns.push([...this.chosen]);
    await this.ask();
  }

  async ask() {
    this.chosen.clear();
    try {
      this.row = await ask("lab/game", { world: this.world.value, seed: this.seed, turns: this.turns });
    } catch (error) {
      this.turns.pop();
      say(this.status, /** @type {Error} */ (error).message);
      return;
    }
    say(this.status, this.sentence());
    this.draw();
  }

  sentence() {
    const { over, right, possible, passes, chances, score, best, decoders } = this.row;
    if (!passes)
      return t("Everything is open. Under each cell: what the model believes there. Click cells, then write them.");
    const last = t("Those words fitted together with {share}.", { share: percent(chances.at(-1)) });
    if (!over)
      return possible
        ? last
        : `${last} ${t("They do not: no text has them all. You may write on, but it cannot end right.")}`;
    const ceiling = best
      ? ` ${t("The best schedule of as many looks ends right in {share}.", { share: percent(best[passes - 1]) })}`
      : "";
    const others = decoders
      .map(
        (/** @type {[string, number, number]} */ [name, spent, share]) =>
          ` ${t("{name}: {share} in {n}.", { name, share: percent(share), n: Number(spent.toFixed(1)) })}`,
      )
      .join("");
    const looks = passes > 1 ? t("{n} looks", { n: passes }) : t("one look");
    const ended = right ? t("Right, in {looks}.", { looks }) : t("Wrong, in {looks}.", { looks });
    return `${ended} ${t("Your way of choosing ends right in {share}.", { share: percent(score) })}${ceiling}${others}`;
  }

  draw() {
    this.board.dataset.world = this.world.value.split(":")[0] ?? "";
    this.board.dataset.over = String(Boolean(this.row?.over));
    this.board.replaceChildren(
      ...(this.row?.cells ?? []).map((/** @type {any} */ cell, /** @type {number} */ at) => this.cell(cell, at)),
    );
    this.write.disabled = !this.chosen.size;
  }

  /**
   * @param {{word: string | null, top: [string, number][]}} cell
   * @param {number} at
   */
  cell(cell, at) {
    if (cell.word !== null) return el("span", { className: "lab-cell lab-stands" }, cell.word);
    const says = cell.top.map(([word, p]) => `${word} ${Math.round(100 * p)} %`).join(", ");
    const pressed = this.chosen.has(at);
    return el(
      "button",
      {
        type: "button",
        className: "lab-cell",
        ariaPressed: String(pressed),
        ariaLabel: t("cell {cell}: {says}", { cell: at + 1, says }),
        title: says,
        onclick: () => {
          if (!this.chosen.delete(at)) this.chosen.add(at);
          this.draw();
          /** @type {HTMLElement | undefined} */ (this.board.children[at])?.focus();
        },
      },
      el("b", {}, "?"),
      el(
        "small",
        {},
        cell.top
          .slice(0, 2)
          .map(([word, p]) => `${word} ${Math.round(100 * p)} %`)
          .join("\n"),
      ),
    );
  }
}

/** @param {number} share */
function percent(share) {
  return `${share > 0 && share < 0.095 ? (100 * share).toFixed(1) : Math.round(100 * share)} %`;
}
