/** The models of the server: those that are open there, and what it can open. */

import { menu } from "../wire/menu.js";

/** @typedef {import("../wire/canvas.js").Event} Event */

export class ServerModels {
  /** @type {Set<string>} hashes of the weights that are open */
  here = new Set();
  mayOpen = false; // other models, by id or folder

  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
  }

  /** What the server can open; null where it does not say.
   * @param {boolean} shelf also what could be fetched
   */
  async offers(shelf = false) {
    const offers = await menu(shelf);
    if (!offers) return null; // the line says that it is lost
    this.mayOpen = offers.why === "";
    for (const { weights } of Object.values(offers.opened)) if (weights) this.here.add(weights);
    this.changed();
    return offers;
  }

  /** A model is open.
   * @param {Event} event
   * @returns {Record<string, any>} its card
   */
  opened(event) {
    const card = event.head?.model ?? {};
    if (card.weights) this.here.add(card.weights);
    return card;
  }
}
