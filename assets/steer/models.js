/** The line in the header that names the open models; unfolded, it shows their cards and a menu of others. */

import { facts, modelSentence } from "./card.js";
import { el, say } from "../looks/dom.js";
import { unmask } from "../stage/page.js";
import { Shelf } from "./shelf.js";

const SIDES = ["Diffusion", "Autoregressive twin"];

/** @typedef {{name: string, says: string, licence: string, billions: number, need: number, number: string, fits: boolean, here: boolean}} Item */

export class Models extends HTMLElement {
  connectedCallback() {
    if (this.childElementCount) return;
    this.line = el("summary", {}, "");
    this.cards = el("div", { className: "cards" });
    this.choices = SIDES.map((name, side) =>
      el("select", {
        "aria-label": `${name} model`,
        onchange: () => this.choose(side, this.choices[side]?.value ?? ""),
      }),
    );
    this.other = el("input", {
      type: "text",
      spellcheck: false,
      autocomplete: "off",
      maxLength: 300,
      placeholder: "ORG/NAME, or a folder of this machine",
      "aria-label": "Another model: a hub id, or a folder of this machine",
    });
    this.form = el(
      "form",
      { className: "other", onsubmit: (/** @type {SubmitEvent} */ event) => this.submit(event) },
      this.other,
      ...SIDES.map((name, side) =>
        el("button", { type: "submit", value: String(side) }, `Open as ${name.toLowerCase()}`),
      ),
    );
    this.why = el("p", { className: "why" });
    this.books = new Shelf();
    this.details = el(
      "details",
      { ontoggle: () => this.details?.open && (this.ask(true), this.books?.look()) },
      this.line,
      el(
        "div",
        { className: "models" },
        ...this.choices.map((choice, side) => el("label", {}, el("span", {}, SIDES[side] ?? ""), choice)),
        this.cards,
        this.books.node,
        this.form,
        this.why,
      ),
    );
    this.append(this.details);
    unmask.watchers.add(() => this.show());
    this.ask(false);
  }

  /** @type {HTMLSelectElement[]} */
  choices = [];
  /** @type {string[]} */
  names = [];
  /** @type {Item[]} */
  shelf = [];
  /** @type {HTMLDetailsElement | undefined} */
  details;
  /** @type {Shelf | undefined} */
  books;
  /** @type {HTMLElement | undefined} */
  line;
  /** @type {HTMLElement | undefined} */
  cards;
  /** @type {HTMLInputElement | undefined} */
  other;
  /** @type {HTMLFormElement | undefined} */
  form;
  /** @type {HTMLElement | undefined} */
  why;
  shown = "";

  /** What the server offers. The shelf is fetched only when somebody looks: it wakes the engine.
   * @param {boolean} shelf
   */
  async ask(shelf) {
    const offers = await unmask.offers(shelf);
    if (!offers) return;
    this.names = offers.models;
    if (shelf) this.shelf = offers.shelf;
    if (this.form) this.form.hidden = Boolean(offers.why);
    if (this.why) say(this.why, offers.why);
    this.shown = "";
    this.show();
  }

  show() {
    const { sides, models, loading } = unmask;
    if (this.line) say(this.line, modelSentence(sides, models, loading, unmask.here.size > 0));
    if (!this.details?.open) return;
    const cards = sides.map((side) => (side.source === "live" ? side.head.model : null));
    const key = JSON.stringify([models, this.names, this.shelf.length, cards.map((card) => card?.weights)]);
    if (key === this.shown) return;
    this.shown = key;
    this.choices.forEach((choice, side) => {
      const present = models[side] ?? models[0] ?? "";
      choice.replaceChildren(...this.options(present));
      choice.value = present;
    });
    this.cards?.replaceChildren(...cards.flatMap((card, side) => (card ? [cardNode(card, side)] : [])));
  }

  /** @param {string} present */
  options(present) {
    const names = [...new Set([...this.names, ...unmask.models, present])].filter(Boolean);
    const here = el("optgroup", { label: "Here" }, ...names.map((name) => el("option", { value: name }, name)));
    if (!this.shelf.length) return [here];
    const known = this.shelf.filter(({ name }) => !names.includes(name));
    const shelf = known.map(({ name, billions, need, fits, here: cached }) => {
      const room = fits ? (cached ? "is here" : "") : "too large for this machine";
      const says = [name, `${billions} B`, `${(need / 1e9).toFixed(0)} GB`, room].filter(Boolean).join(" · ");
      return el("option", { value: name, disabled: !fits }, says);
    });
    return [here, el("optgroup", { label: "Fetched from the hub" }, ...shelf)];
  }

  /**
   * @param {number} side
   * @param {string} name
   */
  choose(side, name) {
    if (name) unmask.think(side, name);
  }

  /** @param {SubmitEvent} event */
  submit(event) {
    event.preventDefault();
    const side = event.submitter instanceof HTMLButtonElement ? Number(event.submitter.value) : 0;
    const name = this.other?.value.trim() ?? "";
    if (name) this.choose(side, name);
    else unmask.note("Type a hub id such as ORG/NAME, or the path of a folder of this machine.", true);
  }
}

/**
 * @param {import("./card.js").Card} card
 * @param {number} side
 */
function cardNode(card, side) {
  const rows = facts(card).map(([name, value]) =>
    el("div", {}, el("dt", {}, name), el("dd", { title: name === "weights" ? card.weights : "" }, value)),
  );
  const open = el("button", { type: "button", className: "quiet", onclick: () => unmask.think(1, card.twin) });
  open.textContent = `Set ${card.twin} beside it`;
  const twin = side === 0 && card.twin && unmask.models[1] !== card.twin ? [open] : [];
  return el("section", { "data-side": side }, el("h3", {}, card.name), el("dl", {}, ...rows), ...twin);
}
