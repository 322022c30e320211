/** The choice of a machine, its model, its users, and how well it is used. */

import { into } from "../looks/fields.js";
import { t } from "../looks/language.js";
import { html, render } from "../vendor/lit-html.js";
import { USERS } from "./crossing.js";
import { BAND, CHIPS, SIZES } from "./figures.js";

/** @typedef {import("./machine.js").Choice} Choice */

const OWN = "own";

let made = 0; // forms, so that each has radio buttons of its own

export class Form {
  node = document.createElement("div");
  name = `clock-${++made}`;
  money = 3; // what an hour of the machine costs, as it is typed

  /** @param {(choice: Partial<Choice>, on?: boolean) => void} change which clock is shown stays as it is without `on` */
  constructor(change) {
    this.change = change;
    this.node.className = "form";
  }

  /** What an hour of the machine costs. */
  get price() {
    return this.money >= 0 ? this.money : 0;
  }

  /** @param {{choice: Choice, on: boolean}} chosen */
  show({ choice, on }) {
    const names = (/** @type {Record<string, {name: string}>} */ rows) =>
      Object.entries(rows).map(([key, { name }]) => /** @type {[string, string]} */ ([key, name]));
    const sizes = /** @type {[string, string][]} */ ([
      ...names(SIZES),
      ["pair", t("the model that ran")],
      [OWN, t("a size of my own")],
    ]);
    const users = (/** @type {any} */ { target }) => this.change({ users: USERS[Number(target.value)] ?? 1 });
    render(
      html`<div class="whose flow" role="radiogroup" aria-label=${t("Whose clock?")}>
          ${this.radio(t("This machine, as measured"), false, on)}
          ${this.radio(t("Another machine, modelled"), true, on)}
        </div>
        <div class="fields flow">
          ${this.choice(t("Machine"), "chip", [...names(CHIPS), [OWN, t("a chip of my own")]], choice)}
          ${this.number(t("Terabytes read a second"), "bandwidth", choice, choice.chip !== OWN)}
          ${this.number(t("Trillion operations a second, bf16"), "operations", choice, choice.chip !== OWN)}
          ${this.choice(t("Model"), "size", sizes, choice)}
          ${this.number(t("Billion parameters, dense, bf16"), "billions", choice, choice.size !== OWN)}
          <label class="field">
            <span>${t("Users at once")}</span
            ><input
              type="range"
              min="0"
              max=${USERS.length - 1}
              step="1"
              aria-label=${t("Users at once")}
              aria-valuetext=${choice.users}
              .value=${String(Math.max(0, USERS.indexOf(choice.users)))}
              @input=${users}
            /><output>${choice.users}</output>
          </label>
          <label class="field">
            <span>${t("Efficiency")}</span
            ><input
              type="range"
              min=${BAND[0]}
              max=${BAND[1]}
              step="0.05"
              aria-label=${t("Efficiency")}
              .value=${String(choice.efficiency)}
              @input=${(/** @type {any} */ { target }) => this.change({ efficiency: Number(target.value) })}
            /><output>${choice.efficiency.toFixed(2).replace(/^0/, "")}</output>
          </label>
          <label class="field">
            <span>${t("Price of an hour")}</span
            ><input
              type="number"
              min="0"
              step="any"
              aria-label=${t("Price of an hour")}
              .value=${String(this.money)}
              @input=${into(this, "money", () => this.change({}))}
            />
          </label>
        </div>`,
      this.node,
    );
  }

  /**
   * @param {string} text
   * @param {boolean} on
   * @param {boolean} now
   */
  radio(text, on, now) {
    return html`<label
      ><input type="radio" name=${this.name} .checked=${now === on} @change=${() => this.change({}, on)} /><span
        >${text}</span
      ></label
    >`;
  }

  /**
   * @param {string} text
   * @param {"chip" | "size"} name
   * @param {[string, string][]} rows values and what they are called
   * @param {Choice} choice
   */
  choice(text, name, rows, choice) {
    return html`<label class="field">
      <span>${text}</span
      ><select aria-label=${text} @change=${(/** @type {any} */ { target }) => this.change({ [name]: target.value })}>
        ${rows.map(
          ([value, title]) => html`<option value=${value} .selected=${value === choice[name]}>${title}</option>`,
        )}
      </select>
    </label>`;
  }

  /**
   * @param {string} text
   * @param {"bandwidth" | "operations" | "billions"} name
   * @param {Choice} choice
   * @param {boolean} hidden
   */
  number(text, name, choice, hidden) {
    const change = (/** @type {any} */ { target }) => this.change({ [name]: target.valueAsNumber || 0 });
    return html`<label class="field" ?hidden=${hidden}>
      <span>${text}</span
      ><input type="number" min="0" step="any" aria-label=${text} value=${choice[name]} @input=${change} />
    </label>`;
  }
}
