/** The one list of decoders: grouped, each with a small picture of the order in which it fills sixteen cells. */

import { el, say } from "../looks/dom.js";

/**
 * @typedef {object} Item
 * @property {string} name
 * @property {string} title
 * @property {string} says
 * @property {string} origin
 * @property {boolean} governed a schedule decides how much it writes
 * @property {string} warning
 * @property {number[]} [when]
 * @property {number[]} [changes]
 * @property {number} [passes]
 */

const SHADES = 6; // of heat in colours.css, the last for what is written first

export class Decoders extends HTMLElement {
  connectedCallback() {
    if (this.childElementCount) return;
    /** @type {{name: string, says: string, items: Item[]}[]} */
    const groups = JSON.parse(this.dataset.list ?? "[]");
    this.items = groups.flatMap(({ items }) => items);
    this.chosen = JSON.parse(this.dataset.chosen ?? '""');
    this.now = el("p", { className: "now", role: "status" });
    this.append(
      el("h3", {}, "Decoder"),
      el(
        "p",
        { className: "aid" },
        "The rule that decides where to write next. Squares: the darker, the earlier it is written.",
      ),
      ...groups.map(({ name, says, items }) =>
        el(
          "fieldset",
          {},
          el("legend", {}, el("b", {}, name), " ", el("span", {}, says)),
          el("div", { className: "items" }, ...items.map((item) => this.item(item))),
        ),
      ),
      this.now,
    );
    this.show();
  }

  /** @type {Item[]} */
  items = [];
  chosen = "";
  /** @type {HTMLElement | undefined} */
  now;

  /** @param {Item} item */
  item(item) {
    const radio = el("input", {
      type: "radio",
      name: "unmask-decoder",
      value: item.name,
      onchange: () => this.take(item.name),
    });
    const warning = item.warning ? [el("em", { className: "warning" }, `⚠ ${item.warning}`)] : [];
    return el(
      "label",
      { title: item.origin },
      radio,
      el("b", {}, item.title),
      picture(item),
      el("small", {}, item.says, " ", ...warning),
    );
  }

  /** A person takes one.
   * @param {string} name
   */
  take(name) {
    this.choose(name);
    this.dispatchEvent(new CustomEvent("unmask-decoder", { bubbles: true, detail: name }));
  }

  /** Python, or a person, has chosen one.
   * @param {string} name
   */
  choose(name) {
    if (!this.items.some((item) => item.name === name)) return;
    this.chosen = name;
    this.show();
  }

  show() {
    for (const radio of this.querySelectorAll("input")) radio.checked = radio.value === this.chosen;
    const item = this.items.find(({ name }) => name === this.chosen);
    if (!item || !this.now) return;
    const follows = item.governed
      ? "A schedule decides how many words it writes in a look."
      : "No schedule governs it: it writes as much as its rule allows.";
    say(this.now, `${item.title}. ${item.says} ${follows} ${item.warning}`.trim());
    this.dispatchEvent(new CustomEvent("unmask-governed", { bubbles: true, detail: item.governed }));
  }
}

/** Sixteen cells, darker the earlier; a dot where a word was changed.
 * @param {Item} item
 */
function picture({ when, changes = [], passes = 1 }) {
  if (!when) return el("span", { className: "order" });
  const last = Math.max(1, ...when);
  const cells = when.map((pass, i) => {
    const shade = last === 1 ? SHADES : Math.round(SHADES - ((pass - 1) / (last - 1)) * (SHADES - 1));
    const cell = el("i", {}, changes[i] ? "•" : "");
    cell.style.background = `var(--heat-${shade})`;
    cell.dataset.shade = String(shade);
    return cell;
  });
  const label = `${passes} looks for sixteen cells; in order of cells, written at look ${when.join(", ")}`;
  return el("span", { className: "order", role: "img", "aria-label": label }, ...cells);
}
