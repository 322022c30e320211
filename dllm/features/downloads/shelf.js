/** The shelf: small real models, each a press away. */

import { t } from "../../assets/looks/language.js";
import { deeds, facts, progress, shortName } from "../../assets/steer/book.js";
import { html, render } from "../../assets/vendor/lit-html.js";

/** @typedef {import("../../assets/steer/book.js").Book} Book */

const AGAIN = 700; // ms between two looks while something is on its way

export class Shelf {
  /** @param {import("../../assets/stage/controller.js").Controller} unmask */
  constructor(unmask) {
    this.unmask = unmask;
    this.node = document.createElement("section");
    this.node.className = "shelf";
    this.node.hidden = true;
    this.node.setAttribute("aria-label", t("Small models"));
  }

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer;
  /** @type {Book[]} */
  books = [];
  owner = false;

  /** Look now, and again while something is on its way.
   * @param {Record<string, string> | null} wish
   */
  async look(wish = null) {
    clearTimeout(this.timer);
    const address = new URL("shelf", document.baseURI);
    try {
      const answer = await fetch(address, wish ? { method: "POST", body: JSON.stringify(wish) } : {});
      const shelf = await answer.json();
      if (shelf.items) [this.books, this.owner] = [shelf.items, shelf.owner];
      this.show(shelf.why ?? "");
      if (this.books.some(({ state }) => state === "coming")) this.timer = setTimeout(() => this.look(), AGAIN);
    } catch {
      this.timer = setTimeout(() => this.look(), 4 * AGAIN); // the line says that it is lost
    }
  }

  /** Stop the download of a model.
   * @param {string} model
   */
  cancel(model) {
    void this.look({ model, do: "cancel" });
  }

  /** @param {string} why a wish was refused */
  show(why) {
    this.node.hidden = !this.books.length;
    render(
      html`<h3>${t("Small models, one press away")}</h3>
        <p>
          ${t("From the Hugging Face hub. A look here means 128 open cells on this machine, as measured on one layer.")}
        </p>
        <ul>
          ${this.books.map((book) => this.row(book))}
        </ul>
        <p class="why" role="status">${why}</p>`,
      this.node,
    );
  }

  /** @param {Book} book */
  row(book) {
    const short = shortName(book.name);
    const coming = book.state === "coming" && book.total;
    return html`<li data-state=${book.state} data-model=${book.name}>
      <strong title=${book.name}>${short}</strong>
      <span class="good">${book.good}</span>
      <span class="facts">${facts(book)}</span>
      ${
        coming
          ? html`<progress
              max=${coming}
              value=${book.done}
              aria-label=${t("Opening of {model}", { model: short })}
            ></progress>`
          : null
      }
      <span class="state">${progress(book)}</span>
      <span class="deeds"
        >${deeds(book, this.owner).map(
          ([deed, word]) =>
            html`<button type="button" aria-label="${word}: ${short}" @click=${() => this.act(deed, book.name)}>
              ${word}
            </button>`,
        )}</span
      >
    </li>`;
  }

  /** @param {string} deed
   * @param {string} name
   */
  act(deed, name) {
    if (deed === "use") this.unmask.think(0, name);
    else this.look({ model: name, do: deed });
  }
}
