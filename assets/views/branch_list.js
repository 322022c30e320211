/** What a person changed in a run, each with a way to take it back; and its branches: one can go to each, and compare,
 * race, rename or forget it. */

import { html, nothing, render, svg } from "../vendor/lit-html.js";
import { el } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { WIDE, differenceOf, lines, nameOfBranch, nameOfChange } from "./branches.js";
import { changesOf, textBefore } from "./changes.js";

/** @typedef {import("./branches.js").Branch} Branch */
/** @typedef {import("./branches.js").BranchAct} BranchAct */

const STEP = 28; // px from row to row
const FEW = 3; // texts with changes that are offered where the first one is shown

export class BranchList {
  /**
   * @param {number} number of the side
   * @param {(act: BranchAct, name: string, more?: string) => void} ask
   * @param {(change: import("./changes.js").Change) => void} takeBack
   */
  constructor(number, ask, takeBack) {
    this.ask = ask;
    this.takeBack = takeBack;
    this.node = el("nav", { className: "branches", "data-of": number, "aria-label": t("Branches"), hidden: true });
  }

  /** @type {unknown[]} */
  seen = [];
  naming = ""; // the branch that gets another name

  /**
   * @param {import("../wire/store.js").Side} side
   * @param {boolean} others whether it is somebody else's run
   */
  show(side, others) {
    const seen = [side.tree, side.branch, side.comparison, side.moments, this.naming, others];
    if (seen.every((one, i) => one === this.seen[i])) return;
    this.seen = seen;
    const changes = changesOf(side);
    const tree = side.tree.length > 1 && !others;
    this.node.hidden = !tree && !changes.length;
    if (this.node.hidden) return render(nothing, this.node);
    const piece = (/** @type {number} */ token) => side.pieces.get(token) ?? "";
    render(
      html`<p class="changes flow">${changes.length ? this.changes(side, changes, others) : this.first(side)}</p>
        ${
          tree
            ? html`${drawing(lines(side.tree), side.branch)}
                <ul>
                  ${side.tree.map((branch) => this.row(branch, side))}
                </ul>`
            : nothing
        }
        <p class="difference" role="status">${side.comparison ? differenceOf(side.comparison, piece) : ""}</p>`,
      this.node,
    );
  }

  /** Every change, and the way to the text before the first.
   * @param {import("../wire/store.js").Side} side
   * @param {import("./changes.js").Change[]} changes
   * @param {boolean} others
   */
  changes(side, changes, others) {
    const before = textBefore(side)?.name;
    const piece = (/** @type {number} */ token) => side.pieces.get(token) ?? "";
    return html`<span>${others ? t("Changed:") : t("Your changes:")}</span> ${changes.map((change) => {
        const what = nameOfChange(change.edit, piece);
        const title = t("Take back: {what}", { what });
        return html`<span class="change"
          >${what}${
            others
              ? nothing
              : html`<button
                  type="button"
                  class="link"
                  title=${title}
                  aria-label=${title}
                  @click=${() => this.takeBack(change)}
                >
                  ×
                </button>`
          }</span
        >`;
      })}
      ${
        before && !others
          ? html`<button type="button" class="link" @click=${() => this.ask("switch", before)}>
              ${t("Show the first text")}
            </button>`
          : nothing
      }`;
  }

  /** The text without changes, and the way back to those with some.
   * @param {import("../wire/store.js").Side} side
   */
  first(side) {
    const others = side.tree.filter(({ name }) => name !== side.branch).slice(-FEW);
    return html`<span>${t("The text without your changes.")}</span> ${others.map((branch) => {
        const what = nameOfBranch(side, branch);
        const text = what ? t("Show it {what}", { what }) : branch.name;
        return html`<button type="button" class="link" @click=${() => this.ask("switch", branch.name)}>
          ${text}
        </button>`;
      })}`;
  }

  /**
   * @param {Branch} branch
   * @param {import("../wire/store.js").Side} side
   */
  row(branch, side) {
    const { name } = branch;
    const { branch: shown } = side;
    const act = (/** @type {string} */ text, /** @type {string} */ title, /** @type {BranchAct} */ what) =>
      html`<button type="button" title=${title} @click=${() => this.ask(what, name)}>${text}</button>`;
    const rename = t("Give branch {name} another name", { name });
    return html`<li data-branch=${name}>
      ${this.naming === name ? this.field(side, name) : this.name(branch, side)}
      <button type="button" title=${rename} @click=${() => this.rename(side, name)}>${t("Rename")}</button>
      ${
        name === shown
          ? nothing
          : [
              act(
                t("Compare"),
                t("What differs between branch {one} and branch {two}", { one: name, two: shown }),
                "compare",
              ),
              act(
                t("Race"),
                t("Play branch {one} on the other side, look by look against branch {two}", { one: name, two: shown }),
                "race",
              ),
              act(t("Delete"), t("Forget branch {name}", { name }), "drop"),
            ]
      }
    </li>`;
  }

  /**
   * @param {Branch} branch
   * @param {import("../wire/store.js").Side} side
   */
  name(branch, side) {
    const { name } = branch;
    const here = name === side.branch;
    const edit = nameOfBranch(side, branch);
    const title = here ? t("This branch is shown") : t("Go to branch {name}", { name });
    return html`<button
      type="button"
      class="name"
      title=${title}
      aria-current=${here ? "true" : nothing}
      @click=${() => this.ask("switch", name)}
    >
      <b>${name}</b>${edit ? ` ${edit}` : nothing}
    </button>`;
  }

  /**
   * @param {import("../wire/store.js").Side} side
   * @param {string} name
   */
  field(side, name) {
    const press = (/** @type {KeyboardEvent} */ event) => {
      event.stopPropagation(); // the stage has keys of its own
      const { value } = /** @type {HTMLInputElement} */ (event.target);
      if (event.key === "Enter" && value.trim() && value !== name) this.ask("rename", name, value);
      if (event.key === "Enter" || event.key === "Escape") this.rename(side, "");
    };
    const label = t("Name of the branch");
    return html`<input type="text" .value=${name} maxlength="40" aria-label=${label} @keydown=${press} />`;
  }

  /** Let a person write another name of a branch, or of none.
   * @param {import("../wire/store.js").Side} side
   * @param {string} name
   */
  rename(side, name) {
    this.naming = name;
    this.show(side, false); // only one's own are named
    this.node.querySelector("input")?.select();
  }
}

/** The lines of the branches.
 * @param {ReturnType<typeof lines>} drawn
 * @param {string} present
 */
function drawing(drawn, present) {
  const paths = drawn.map(({ name, row, parent, from, to }) => {
    const [y, above] = [(row + 0.5) * STEP, (parent + 0.5) * STEP];
    return svg`<path d="M ${from} ${above} V ${y} H ${to}" class=${name === present ? "present" : ""} />`;
  });
  const height = drawn.length * STEP;
  return html`<svg viewBox="-4 0 ${WIDE + 8} ${height}" width=${WIDE + 8} height=${height} aria-hidden="true">
    ${paths}
  </svg>`;
}
