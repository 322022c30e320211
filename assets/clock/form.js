/** The choice of a machine, its model, its users, and how well it is used. */

import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { USERS } from "./crossing.js";
import { BAND, CHIPS, SIZES } from "./figures.js";

/** @typedef {import("./machine.js").Choice} Choice */

const OWN = "own";

export class Form {
  /**
   * @param {Choice} choice
   * @param {(choice: Partial<Choice>, on: boolean) => void} change
   */
  constructor(choice, change) {
    this.change = change;
    const name = `clock-${++made}`;
    const radio = (/** @type {string} */ text, /** @type {boolean} */ on) => {
      const input = el("input", { type: "radio", name, onchange: () => change({}, on) });
      return { input, node: el("label", {}, input, el("span", {}, text)) };
    };
    this.here = radio(t("This machine, as measured"), false);
    this.there = radio(t("Another machine, modelled"), true);
    const turned = (/** @type {Partial<Choice>} */ changes) => change(changes, this.there.input.checked);
    const chips = Object.entries(CHIPS).map(([key, chip]) => [key, chip.name]);
    const sizes = Object.entries(SIZES).map(([key, size]) => [key, size.name]);
    this.chip = select([...chips, [OWN, t("a chip of my own")]], choice.chip, (chip) => turned({ chip }));
    this.size = select(
      [...sizes, ["pair", t("the model that ran")], [OWN, t("a size of my own")]],
      choice.size,
      (size) => turned({ size }),
    );
    this.bandwidth = number(choice.bandwidth, (bandwidth) => turned({ bandwidth }));
    this.operations = number(choice.operations, (operations) => turned({ operations }));
    this.billions = number(choice.billions, (billions) => turned({ billions }));
    this.money = number(3, () => turned({}));
    this.users = el("input", {
      type: "range",
      min: "0",
      max: String(USERS.length - 1),
      step: "1",
      value: "0",
      oninput: () => turned({ users: USERS[Number(this.users.value)] ?? 1 }),
    });
    this.efficiency = el("input", {
      type: "range",
      min: String(BAND[0]),
      max: String(BAND[1]),
      step: "0.05",
      value: String(choice.efficiency),
      oninput: () => turned({ efficiency: Number(this.efficiency.value) }),
    });
    this.counts = { users: el("output", {}), efficiency: el("output", {}) };
    this.own = {
      bandwidth: field(t("Terabytes read a second"), this.bandwidth),
      operations: field(t("Trillion operations a second, bf16"), this.operations),
      billions: field(t("Billion parameters, dense, bf16"), this.billions),
    };
    this.node = el(
      "div",
      { className: "form" },
      el(
        "div",
        { className: "whose", role: "radiogroup", "aria-label": t("Whose clock?") },
        this.here.node,
        this.there.node,
      ),
      el(
        "div",
        { className: "fields" },
        field(t("Machine"), this.chip),
        this.own.bandwidth,
        this.own.operations,
        field(t("Model"), this.size),
        this.own.billions,
        field(t("Users at once"), this.users, this.counts.users),
        field(t("Efficiency"), this.efficiency, this.counts.efficiency),
        field(t("Price of an hour"), this.money),
      ),
    );
  }

  /** What an hour of the machine costs. */
  get price() {
    const price = this.money.valueAsNumber;
    return price >= 0 ? price : 0;
  }

  /** @param {{choice: Choice, on: boolean}} chosen */
  show({ choice, on }) {
    this.here.input.checked = !on;
    this.there.input.checked = on;
    this.chip.value = choice.chip;
    this.size.value = choice.size;
    this.users.value = String(Math.max(0, USERS.indexOf(choice.users)));
    this.own.bandwidth.hidden = this.own.operations.hidden = choice.chip !== OWN;
    this.own.billions.hidden = choice.size !== OWN;
    const users = String(choice.users);
    say(this.counts.users, users);
    this.users.setAttribute("aria-valuetext", users);
    say(this.counts.efficiency, choice.efficiency.toFixed(2).replace(/^0/, ""));
  }
}

let made = 0; // forms, so that each has radio buttons of its own

/**
 * @param {string} text
 * @param {HTMLElement} control
 * @param {HTMLElement[]} more
 */
function field(text, control, ...more) {
  control.setAttribute("aria-label", text); // without what a list offers
  return el("label", { className: "field" }, el("span", {}, text), control, ...more);
}

/**
 * @param {string[][]} options values and what they are called
 * @param {string} value
 * @param {(value: string) => void} change
 */
function select(options, value, change) {
  const node = el("select", {}, ...options.map(([key = "", name = ""]) => el("option", { value: key }, name)));
  node.value = value;
  node.addEventListener("change", () => change(node.value));
  return node;
}

/**
 * @param {number} value
 * @param {(value: number) => void} change
 */
function number(value, change) {
  const node = el("input", { type: "number", min: "0", step: "any", value: String(value) });
  node.addEventListener("input", () => change(node.valueAsNumber || 0));
  return node;
}
