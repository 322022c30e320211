/** The line in the header that names the open models; unfolded, it shows their cards and a menu of others. */

import { facts, modelSentence } from "../steer/card.js";
import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { Panel } from "../stage/of_page.js";
import { Shelf } from "./shelf.js";
import { fit } from "../wire/menu.js";

const SIDES = ["Diffusion", "Beside it"];
const WAITS = 400; // ms without a key before a name is looked up
const DECODER = "="; // before the decoder of the same model, as a choice for the second side

/** @typedef {{name: string, says: string, licence: string, billions: number, need: number, number: string, fits: boolean, here: boolean}} Item */

export class Models extends Panel {
  setUp() {
    this.line = el("summary", {}, "");
    this.cards = el("div", { className: "cards" });
    this.choices = SIDES.map((_, side) =>
      el("select", {
        "aria-label": side ? t("Model beside it") : t("Diffusion model"),
        onchange: () => this.choose(side, this.choices[side]?.value ?? ""),
      }),
    );
    this.other = el("input", {
      type: "text",
      spellcheck: false,
      autocomplete: "off",
      maxLength: 300,
      placeholder: t("ORG/NAME, a folder, or attach:http://HOST:8000/v1"),
      "aria-label": t("Another model: a hub id, a folder of this machine, or a server"),
      oninput: () => this.typed(),
    });
    this.fits = el("p", { className: "fits", role: "status" });
    this.mask = el("input", { type: "number", min: "0", "aria-label": t("Id of its mask token") });
    this.masked = el("label", { className: "masked", hidden: true }, t("Id of its mask token"), " ", this.mask);
    this.form = el(
      "form",
      { className: "other", onsubmit: (/** @type {SubmitEvent} */ event) => this.submit(event) },
      this.other,
      ...SIDES.map((_, side) =>
        el("button", { type: "submit", value: String(side) }, side ? t("Open beside it") : t("Open as diffusion")),
      ),
      this.masked,
      this.fits,
    );
    this.why = el("p", { className: "why", role: "status" });
    this.books = new Shelf(this.unmask);
    this.details = el(
      "details",
      { ontoggle: () => this.details?.open && (this.ask(true), this.books?.look()) },
      this.line,
      el(
        "div",
        { className: "models" },
        ...this.choices.map((choice, side) => el("label", {}, el("span", {}, t(SIDES[side] ?? "")), choice)),
        this.cards,
        this.form,
        this.why,
        this.books.node,
      ),
    );
    this.append(this.details);
    this.unmask.frames.add(() => this.show());
    this.unmask.listeners.add((event) => this.answered(event));
    document.addEventListener("unmask-models", () => this.open());
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
  /** @type {HTMLElement | undefined} */
  fits;
  /** @type {HTMLInputElement | undefined} */
  mask;
  /** @type {HTMLElement | undefined} */
  masked;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  typing;
  shown = "";
  named = false; // a model was named in the form

  /** Open or close the menu of the page's head, in which this one is.
   * @param {boolean} open
   */
  cover(open) {
    const menu = this.closest("unmask-menu");
    if (menu && "open" in menu && typeof menu.open === "function") menu.open(open);
  }

  /** Show the models. */
  open() {
    this.cover(true);
    if (!this.details) return;
    this.details.open = true;
    this.details.querySelector("summary")?.focus();
  }

  /** A name was typed: does it fit here? Known before anything is fetched. */
  typed() {
    clearTimeout(this.typing);
    if (this.masked) this.masked.hidden = true;
    const name = this.other?.value.trim() ?? "";
    this.typing = setTimeout(async () => {
      const says = name.length > 1 ? await fit(name) : "";
      if (this.fits && this.other?.value.trim() === name) say(this.fits, says);
    }, WAITS);
  }

  /** A model was opened, or not: said where it was asked for.
   * @param {import("../wire/store.js").Event} event
   */
  answered(event) {
    if (event.id !== this.unmask.opening || !this.why || !this.masked) return;
    if (event.did === "opened") {
      say(this.why, "");
      if (this.named) this.cover(false); // what was opened is behind the menu
      this.named = false;
    }
    if (event.did !== "refused" || event.do !== "open") return;
    const why = String(event.why);
    say(this.why, `${why.charAt(0).toUpperCase()}${why.slice(1)}.`);
    this.masked.hidden = event.code !== "no_mask";
    if (!this.masked.hidden) this.mask?.focus();
  }

  /** What the server offers. The shelf is fetched only when somebody looks: it wakes the engine.
   * @param {boolean} shelf
   */
  async ask(shelf) {
    const offers = await this.unmask.server.offers(shelf);
    if (!offers) return;
    this.names = offers.models;
    if (shelf) this.shelf = offers.shelf;
    if (this.form) this.form.hidden = Boolean(offers.why);
    if (this.why && offers.why) say(this.why, offers.why);
    this.shown = "";
    this.show();
  }

  show() {
    const { sides, models, loading } = this.unmask;
    if (this.line) say(this.line, modelSentence(sides, models, loading, this.unmask.server.here.size > 0));
    if (!this.details?.open) return;
    const cards = sides.map((side) => (side.source === "live" ? side.head.model : null));
    const key = JSON.stringify([models, this.names, this.shelf.length, cards.map((card) => card?.weights)]);
    if (key === this.shown) return;
    this.shown = key;
    this.choices.forEach((choice, side) => {
      const [first = "", second = ""] = models;
      const own = side === 1 && second === first; // the same model twice
      choice.replaceChildren(...this.options(side ? second || first : first), ...(side ? besides() : []));
      choice.value = own ? `${DECODER}${this.unmask.runs.second}` : side ? second : first;
    });
    this.cards?.replaceChildren(...cards.flatMap((card, side) => (card ? [cardNode(this.unmask, card, side)] : [])));
  }

  /** @param {string} present */
  options(present) {
    const names = [...new Set([...this.names, ...this.unmask.models, present])].filter(Boolean);
    const here = el(
      "optgroup",
      { label: t("Here") },
      ...names.map((name) => el("option", { value: name }, titleOf(name))),
    );
    if (!this.shelf.length) return [here];
    const known = this.shelf.filter(({ name }) => !names.includes(name));
    const shelf = known.map(({ name, billions, need, fits, here: cached }) => {
      const room = fits ? (cached ? t("is here") : "") : t("too large for this machine");
      const says = [name, `${billions} B`, `${(need / 1e9).toFixed(0)} GB`, room].filter(Boolean).join(" · ");
      return el("option", { value: name, disabled: !fits }, says);
    });
    return [here, el("optgroup", { label: t("Fetched from the hub") }, ...shelf)];
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
    const mask = this.masked?.hidden ? "" : (this.mask?.value ?? "");
    const name = this.other?.value.trim() ?? "";
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

/** What may stand beside a model that has no twin. */
function besides() {
  const same = decoders().map(({ name, title }) => el("option", { value: `${DECODER}${name}` }, t(title)));
  return [
    el("option", { value: "" }, t("nothing")),
    el("optgroup", { label: t("The same model, decoded by") }, ...same),
  ];
}

/**
 * @param {import("../stage/controller.js").Controller} unmask
 * @param {import("../steer/card.js").Card} card
 * @param {number} side
 */
function cardNode(unmask, card, side) {
  const rows = facts(card).map(([name, value]) =>
    el("div", {}, el("dt", {}, t(name)), el("dd", { title: name === "weights" ? card.weights : "" }, value)),
  );
  const open = el("button", { type: "button", className: "quiet", onclick: () => unmask.think(1, card.twin) });
  open.textContent = t("Set {model} beside it", { model: card.twin });
  const twin = side === 0 && card.twin && unmask.models[1] !== card.twin ? [open] : [];
  return el("section", { "data-side": side }, el("h3", {}, card.name), el("dl", {}, ...rows), ...twin);
}
