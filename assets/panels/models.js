/** The line in the header that names the open models; unfolded, it shows their cards and a menu of others. */

import { shortName } from "../steer/book.js";
import { facts, modelSentence } from "../steer/card.js";
import { offered } from "../looks/features.js";
import { into } from "../looks/fields.js";
import { t } from "../looks/language.js";
import { Panel } from "../stage/of_page.js";
import { html, nothing, render } from "../vendor/lit-html.js";
import { fit } from "../wire/menu.js";

const WAITS = 400; // ms without a key before a name is looked up
const DECODER = "="; // before the decoder of the same model, as a choice for the second side

/** @typedef {{name: string, says: string, licence: string, billions: number, need: number, number: string, fits: boolean, here: boolean}} Item */

export class Models extends Panel {
  setUp() {
    this.unmask.frames.add(() => this.show());
    this.unmask.listeners.add((event) => this.answered(event));
    document.addEventListener("unmask-models", () => this.open());
    this.show();
    void this.ask(false);
  }

  /** @type {import("../looks/features.js").Shelf[] | undefined} of models that are not open */
  shelves;
  /** @type {string[]} */
  names = [];
  /** @type {Item[]} */
  shelf = [];
  typed = { name: "", mask: "" }; // a model of one's own
  fits = ""; // whether it has room here
  why = ""; // what became of it
  closed = ""; // why no other model may be opened
  masked = false; // the id of its mask token is asked for
  named = false; // a model was named in the form
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  typing;

  get details() {
    return this.querySelector("details");
  }

  /** Open or close the menu of the page's head, in which this one is.
   * @param {boolean} open
   */
  cover(open) {
    const menu = this.closest("unmask-menu");
    return menu && "open" in menu && typeof menu.open === "function" ? menu.open(open) : undefined;
  }

  /** Show the models. */
  async open() {
    await this.cover(true);
    if (!this.details) return;
    this.details.open = true;
    this.details.querySelector("summary")?.focus();
  }

  /** A name was typed: does it fit here? Known before anything is fetched. */
  type() {
    clearTimeout(this.typing);
    this.masked = false;
    const name = this.typed.name.trim();
    this.typing = setTimeout(async () => {
      const fits = name.length > 1 ? await fit(name) : "";
      if (this.typed.name.trim() !== name) return;
      this.fits = fits;
      this.show();
    }, WAITS);
    this.show();
  }

  /** A model was opened or refused: the answer is shown where it was asked for.
   * @param {import("../wire/store.js").Event} event
   */
  answered(event) {
    if (event.id !== this.unmask.opening) return;
    if (event.did === "opened") {
      this.why = "";
      if (this.named) this.cover(false); // what was opened is behind the menu
      this.named = false;
    } else if (event.did === "refused" && event.do === "open") {
      const why = String(event.why);
      this.why = `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
      this.masked = event.code === "no_mask";
    } else return;
    this.show();
    const mask = this.querySelector(".masked input");
    if (this.masked && mask instanceof HTMLElement) mask.focus();
  }

  /** What the server offers. The shelf is fetched only when somebody looks: it wakes the engine.
   * @param {boolean} shelf
   */
  async ask(shelf) {
    const offers = await this.unmask.server.offers(shelf);
    if (!offers) return;
    this.names = offers.models;
    if (shelf) this.shelf = offers.shelf;
    this.closed = offers.why ?? "";
    this.show();
  }

  /** The models were unfolded: what is there is asked for. */
  look() {
    if (!this.details?.open) return;
    void this.ask(true);
    void this.lookFurther();
  }

  /** The same on the shelves of the features. */
  async lookFurther() {
    if (!this.shelves) {
      this.shelves = (await offered("shelf")).map((Shelf) => new Shelf(this.unmask));
      this.show();
    }
    for (const shelf of this.shelves) void shelf.look();
  }

  show() {
    const { sides, models, loading, server } = this.unmask;
    render(
      html`<details @toggle=${() => this.look()}>
          <summary>${modelSentence(sides, models, loading, server.here.size > 0)}</summary>
          <div class="models">${this.details?.open ? this.content() : nothing}</div>
        </details>
        ${loading?.total ? this.coming(loading) : nothing}`,
      this,
    );
  }

  /** How far a model is, and a way to stop it.
   * @param {Record<string, any>} loading
   */
  coming({ model, done, total }) {
    const stop = () => this.shelves?.forEach((shelf) => shelf.cancel(model));
    return html`<p class="coming">
      <progress
        max=${total}
        value=${done}
        aria-label=${t("Opening of {model}", { model: shortName(model) })}
      ></progress>
      <button type="button" @click=${stop}>${t("Cancel")}</button>
    </p>`;
  }

  content() {
    const [first = "", second = ""] = this.unmask.models;
    const own = second === first; // the same model twice
    const cards = this.unmask.sides.map((side) => (side.source === "live" ? side.head.model : null));
    const choose =
      (/** @type {number} */ side) =>
      (/** @type {any} */ { target }) =>
        this.choose(side, target.value);
    return html`<label
        ><span>${t("Diffusion")}</span
        ><select aria-label=${t("Diffusion model")} @change=${choose(0)}>
          ${this.options(first, first)}
        </select></label
      ><label
        ><span>${t("Beside it")}</span
        ><select aria-label=${t("Model beside it")} @change=${choose(1)}>
          ${this.options(second || first, own ? "" : second)}
          <option value="" .selected=${!second}>${t("nothing")}</option>
          ${besides(own ? this.unmask.runs.second : "")}
        </select></label
      >
      <div class="cards" ?hidden=${!cards.some(Boolean)}>
        ${cards.map((card, side) => (card ? cardOf(this.unmask, card, side) : nothing))}
      </div>
      ${this.form()}
      <p class="why" role="status">${this.why || this.closed}</p>
      ${this.shelves?.map(({ node }) => node)}`;
  }

  /** The models to choose from.
   * @param {string} present
   * @param {string} chosen
   */
  options(present, chosen) {
    const names = [...new Set([...this.names, ...this.unmask.models, present])].filter(Boolean);
    const known = this.shelf.filter(({ name }) => !names.includes(name));
    return html`<optgroup label=${t("Here")}>
        ${names.map((name) => html`<option value=${name} .selected=${name === chosen}>${titleOf(name)}</option>`)}
      </optgroup>
      ${
        known.length
          ? html`<optgroup label=${t("Fetched from the hub")}>
              ${known.map((item) => html`<option value=${item.name} ?disabled=${!item.fits}>${hubTitle(item)}</option>`)}
            </optgroup>`
          : nothing
      }`;
  }

  /** A model of one's own, by its hub id, its folder or its server. */
  form() {
    return html`<form
      class="other"
      ?hidden=${this.closed !== ""}
      @submit=${(/** @type {SubmitEvent} */ event) => this.submit(event)}
    >
      <input
        type="text"
        spellcheck="false"
        autocomplete="off"
        maxlength="300"
        placeholder=${t("ORG/NAME, a folder, or attach:http://HOST:8000/v1")}
        aria-label=${t("Another model: a hub id, a folder of this machine, or a server")}
        @input=${into(this.typed, "name", () => this.type())}
      />
      <button type="submit" value="0">${t("Open as diffusion")}</button>
      <button type="submit" value="1">${t("Open beside it")}</button>
      <label class="masked" ?hidden=${!this.masked}
        >${t("Id of its mask token")}
        <input
          type="number"
          min="0"
          aria-label=${t("Id of its mask token")}
          @input=${(/** @type {any} */ { target }) => (this.typed.mask = target.value)}
      /></label>
      <p class="fits" role="status">${this.fits}</p>
    </form>`;
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

  /** @param {SubmitEvent} event */
  submit(event) {
    event.preventDefault();
    const side = event.submitter instanceof HTMLButtonElement ? Number(event.submitter.value) : 0;
    const mask = this.masked ? this.typed.mask : "";
    const name = this.typed.name.trim();
    this.named = name !== "";
    if (name) this.choose(side, mask ? `${name}${name.includes("?") ? "&" : "?"}mask_id=${mask}` : name);
    else this.unmask.note(t("Type a hub id such as ORG/NAME, or the path of a folder of this machine."), true);
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

/** A model of the hub, with its size, and whether it has room here.
 * @param {Item} item
 */
function hubTitle({ name, billions, need, fits, here }) {
  const room = fits ? (here ? t("is here") : "") : t("too large for this machine");
  return [name, `${billions} B`, `${(need / 1e9).toFixed(0)} GB`, room].filter(Boolean).join(" · ");
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
 * @param {import("../stage/controller.js").Controller} unmask
 * @param {import("../steer/card.js").Card} card
 * @param {number} side
 */
function cardOf(unmask, card, side) {
  const twin = side === 0 && card.twin && unmask.models[1] !== card.twin;
  return html`<section data-side=${side}>
    <h3>${card.name}</h3>
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
        ? html`<button type="button" class="quiet" @click=${() => unmask.think(1, card.twin)}>
            ${t("Set {model} beside it", { model: card.twin })}
          </button>`
        : nothing
    }
  </section>`;
}
