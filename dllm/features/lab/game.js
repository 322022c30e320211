/** Beat the schedule: choose which cells are written next; the fewest passes that still end right win. */

import { into } from "../../assets/looks/fields.js";
import { t } from "../../assets/looks/language.js";
import { html, render } from "../../assets/vendor/lit-html.js";
import { ask } from "./ask.js";
import { options } from "./fields.js";
import { WORLDS } from "../../assets/wire/schedule_game.js";

/** @typedef {{word: string | null, top: [string, number][]}} Cell */

export class Game {
  node = document.createElement("div");
  seed = 0;
  world = Object.keys(WORLDS)[0] ?? "";
  /** @type {number[][]} */
  turns = [];
  /** @type {Set<number>} */
  chosen = new Set();
  /** @type {any} */
  row = null;
  status = t("Press New game.");

  constructor() {
    this.node.className = "lab-game";
    this.show();
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
      this.row = await ask("lab/game", { world: this.world, seed: this.seed, turns: this.turns });
      this.status = this.sentence();
    } catch (error) {
      this.turns.pop();
      this.status = /** @type {Error} */ (error).message;
    }
    this.show();
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

  show() {
    const titles = Object.fromEntries(Object.entries(WORLDS).map(([name, { title }]) => [name, title]));
    render(
      html`<p>
          ${t(
            "The model here is never wrong. But words drawn in one look do not know of each other. Choose cells, write them, and end with a right text in as few looks as you dare.",
          )}
        </p>
        <div class="lab-row flow">
          <label
            >${t("Write")}<select @change=${into(this, "world", () => void this.begin())}>
              ${options(titles, this.world)}
            </select></label
          >
          <button type="button" class="primary" ?disabled=${!this.chosen.size} @click=${() => void this.turn()}>
            ${t("Write these")}
          </button>
          <button type="button" @click=${() => void this.begin()}>${t("New game")}</button>
        </div>
        <div
          class="lab-board flow"
          role="group"
          aria-label=${t("cells to choose")}
          data-world=${this.world.split(":")[0] ?? ""}
        >
          ${(this.row?.cells ?? []).map((/** @type {Cell} */ cell, /** @type {number} */ at) => this.cell(cell, at))}
        </div>
        <p role="status" class="lab-status">${this.status}</p>`,
      this.node,
    );
  }

  /**
   * @param {Cell} cell
   * @param {number} at
   */
  cell({ word, top }, at) {
    if (word !== null) return html`<span class="lab-cell lab-stands">${word}</span>`;
    const shares = top.map(([word, p]) => `${word} ${Math.round(100 * p)} %`);
    const says = shares.join(", ");
    const choose = () => {
      if (!this.chosen.delete(at)) this.chosen.add(at);
      this.show();
    };
    return html`<button
      type="button"
      class="lab-cell"
      aria-pressed=${this.chosen.has(at)}
      aria-label=${t("cell {cell}: {says}", { cell: at + 1, says })}
      title=${says}
      @click=${choose}
    >
      <b>?</b><small>${shares.slice(0, 2).join("\n")}</small>
    </button>`;
  }
}

/** @param {number} share */
function percent(share) {
  return `${share > 0 && share < 0.095 ? (100 * share).toFixed(1) : Math.round(100 * share)} %`;
}
