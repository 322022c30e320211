/** The models of the server: those that are open there, and what it can open. */

import { reactive } from "../wire/reactive.js";

/** @typedef {import("../wire/canvas.js").Event} Event */

export class ServerModels {
  state = reactive({ here: /** @type {Set<string>} */ (new Set()), mayOpen: false });

  /** Hashes of the weights that are open. */
  get here() {
    return this.state.here;
  }

  /** Whether it opens other models, by id or folder. */
  get mayOpen() {
    return this.state.mayOpen;
  }

  /** What the server can open; null where it does not say.
   * @returns {Promise<Record<string, any> | null>}
   */
  async offers() {
    const answer = await fetch(new URL("menu", document.baseURI)).catch(() => null);
    if (!answer?.ok) return null; // the line says that it is lost
    const offers = await answer.json();
    this.state.mayOpen = offers.why === "";
    this.know(Object.values(offers.opened).map(({ weights }) => weights));
    return offers;
  }

  /** A model is open.
   * @param {Event} event
   * @returns {Record<string, any>} its card
   */
  opened(event) {
    const card = event.head?.model ?? {};
    this.know([card.weights]);
    return card;
  }

  /** @param {(string | undefined)[]} weights that are open as well */
  know(weights) {
    const more = weights.filter((one) => one && !this.here.has(one));
    if (more.length) this.state.here = new Set([...this.here, .../** @type {string[]} */ (more)]);
  }
}
