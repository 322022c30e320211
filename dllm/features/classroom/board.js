/** A schedule as it is made and shown, a field for each cell with the number of the pass that writes it. */

import { t } from "../../assets/looks/language.js";
import { html, nothing, render } from "../../assets/vendor/lit-html.js";
import { moved, sizes } from "./schedule.js";

/** @typedef {import("./room.js").Game} Game */

const WIDE = { sudoku4: 4 }; // cells of a row; others have one row

/** A schedule in little, to be looked at.
 * @param {string} digits
 * @param {string} world
 */
export function smallSchedule(digits, world) {
  const cells = [...digits].map((digit) => html`<span data-pass=${digit}>${digit}</span>`);
  return html`<span class="class-plan" role="img" aria-label=${t("looks {digits}", { digits })} style=${columns(world)}
    >${cells}</span
  >`;
}

export class Board {
  node = document.createElement("div");
  digits = "";
  /** @type {Game | null} */
  game = null;

  /** @param {(digits: string) => void} give */
  constructor(give) {
    this.give = give;
    this.node.className = "class-board flow";
    this.node.hidden = true;
  }

  /** @param {Game | null} game what is played, or nothing */
  show(game) {
    const same = this.game?.world === game?.world && this.game?.passes === game?.passes;
    this.game = game;
    this.node.hidden = !game;
    if (!same) this.draw("1".repeat(game?.cells ?? 0));
  }

  /** @param {string} digits */
  draw(digits) {
    this.digits = digits;
    const { world, passes } = this.game ?? { world: "", passes: 1 };
    const click = (/** @type {number} */ at) => () => this.draw(moved(this.digits, at, passes));
    render(
      html`<div class="class-plan" role="group" aria-label=${t("Cells")} style=${columns(world)}>
          ${[...digits].map(
            (pass, at) =>
              html`<button
                type="button"
                data-pass=${pass}
                aria-label=${t("cell {cell}: look {pass}", { cell: at + 1, pass })}
                @click=${click(at)}
              >
                ${pass}
              </button>`,
          )}
        </div>
        <p>${t("Cells in each look: {sizes}", { sizes: sizes(digits).join(", ") })}</p>
        <button type="button" class="primary" @click=${() => this.give(this.digits)}>${t("Hand it in")}</button>`,
      this.node,
    );
  }
}

/** How many cells a row has, as a style; nothing where all have one row.
 * @param {string} world
 */
function columns(world) {
  const row = /** @type {Record<string, number>} */ (WIDE)[world.split(":")[0] ?? ""];
  return row ? `grid-template-columns: repeat(${row}, auto)` : nothing;
}
