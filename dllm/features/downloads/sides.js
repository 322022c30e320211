/** What writes on each side: a choice for each, and the cards of the models that are open. */

import { facts } from "../../assets/steer/card.js";
import { t } from "../../assets/looks/language.js";
import { html, nothing } from "../../assets/vendor/lit-html.js";

const DECODER = "="; // before the decoder of the same model, as a choice for the second side

export class Sides {
  /** @param {import("../../assets/stage/controller.js").Controller} unmask */
  constructor(unmask) {
    this.unmask = unmask;
  }

  open = false;
  /** @type {string[]} that the server has by name */
  names = [];

  async ask() {
    const offers = await this.unmask.server.offers();
    if (offers) this.names = offers.models;
    this.unmask.frames.redraw();
  }

  content() {
    const { unmask } = this;
    const [first = "", second = ""] = unmask.models;
    const own = second === first; // the same model twice
    const cards = unmask.sides.map((side) => (side.source === "live" ? side.head.model : null));
    const choose =
      (/** @type {number} */ side) =>
      (/** @type {any} */ { target }) =>
        this.choose(side, target.value);
    return html`<details .open=${this.open} @toggle=${(/** @type {any} */ { target }) => (this.open = target.open)}>
      <summary>${t("What writes on each side")}</summary>
      <label
        ><span>${t("Diffusion")}</span
        ><select aria-label=${t("Diffusion model")} @change=${choose(0)}>
          ${this.options(first, first)}
        </select></label
      ><label
        ><span>${t("Beside it")}</span
        ><select aria-label=${t("Model beside it")} @change=${choose(1)}>
          ${this.options(second || first, own ? "" : second)}
          <option value="" .selected=${!second}>${t("nothing")}</option>
          ${besides(own ? unmask.runs.second : "")}
        </select></label
      >
      <div class="cards">${cards.map((card, side) => (card ? cardOf(unmask, card, side) : nothing))}</div>
    </details>`;
  }

  /** The models to choose from.
   * @param {string} present
   * @param {string} chosen
   */
  options(present, chosen) {
    const names = [...new Set([...this.names, ...this.unmask.models, present])].filter(Boolean);
    return names.map((name) => html`<option value=${name} .selected=${name === chosen}>${titleOf(name)}</option>`);
  }

  /**
   * @param {number} side
   * @param {string} name
   */
  choose(side, name) {
    if (side === 0) return void (name && this.unmask.think(0, name));
    const preset = name.startsWith(DECODER) ? name.slice(1) : "autoregressive";
    const title = decoders().find((item) => item.name === preset)?.title;
    this.unmask.think(1, name.startsWith(DECODER) ? (this.unmask.models[0] ?? "") : name, preset, title);
  }
}

/** @param {string} name */
function titleOf(name) {
  const [own = "", options] = name.split("?");
  return options === "number=int8" ? t("{model}, in eight bits", { model: own }) : name;
}

/** @returns {{name: string, title: string}[]} the decoders, as their list on the page has them */
function decoders() {
  return /** @type {any} */ (document.querySelector("unmask-decoders"))?.items ?? [];
}

/** Other decoders of the same model, to be set beside it.
 * @param {string} chosen
 */
function besides(chosen) {
  return html`<optgroup label=${t("The same model, decoded by")}>
    ${decoders().map(
      ({ name, title }) => html`<option value=${`${DECODER}${name}`} .selected=${name === chosen}>${t(title)}</option>`,
    )}
  </optgroup>`;
}

/**
 * @param {import("../../assets/stage/controller.js").Controller} unmask
 * @param {import("../../assets/steer/card.js").Card} card
 * @param {number} side
 */
function cardOf(unmask, card, side) {
  const twin = side === 0 && card.twin && unmask.models[1] !== card.twin;
  return html`<section data-side=${side}>
    <h4>${card.name}</h4>
    <dl>
      ${facts(card).map(
        ([name, value]) =>
          html`<div>
            <dt>${t(name)}</dt>
            <dd title=${name === "weights" ? card.weights : ""}>${value}</dd>
          </div>`,
      )}
    </dl>
    ${
      twin
        ? html`<button type="button" class="link" @click=${() => unmask.think(1, card.twin)}>
            ${t("Set {model} beside it", { model: card.twin })}
          </button>`
        : nothing
    }
  </section>`;
}
