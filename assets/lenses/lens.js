/** What the stage asks beside the run: about a cell in the inspector, about the next words in a drawer, and the threads. */

import { Drawer } from "./drawer.js";
import { Reasons } from "./reasons.js";
import { placeOf } from "../views/belief.js";
import { NOTHING } from "../wire/canvas.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("../stage/controller.js").Controller} Unmask */
/** @typedef {import("./lenses.js").Look} Look */

export class Lens {
  /** @param {Unmask} unmask */
  constructor(unmask) {
    this.unmask = unmask;
    this.reasons = new Reasons({
      look: (kind, at, cell, fields) => unmask.lenses.look(unmask.side(unmask.selection.side), at, kind, cell, fields),
      instead: (cell, since, token) => unmask.branching.instead(unmask.selection.side, cell, since, token),
      peek: (cell, since) => {
        const number = unmask.selection.side;
        const place = placeOf(unmask.side(number), unmask.player.at(number), cell, since);
        if (place >= 0) unmask.peeks.request(unmask.side(number), since, place);
      },
      visit: (cell) => unmask.select(unmask.selection.side, cell, false, true),
      changed: () => unmask.frames.redraw(),
    });
    this.drawer = new Drawer(
      (side, at, kind, cell = NOTHING) => unmask.lenses.look(side, at, kind, cell),
      () => this.close(),
    );
  }

  /** @type {HTMLElement | undefined} what opened the drawer */
  button;

  /** Close the drawer, if it is what a person looks at; the keyboard goes back to what opened it. */
  close() {
    const { unmask, button } = this;
    if (unmask.fits === NOTHING || unmask.inspecting) return false;
    unmask.fit(unmask.fits);
    button?.focus();
    return true;
  }

  /** A cell's candidates by the network's own probabilities; null where the others are wanted.
   * @param {Side} side
   * @param {number} at after the pass that is meant
   * @param {number} place of the cell then
   * @returns {Look | null}
   */
  raw(side, at, place) {
    return this.reasons.raw && side.source === "live" ? this.unmask.lenses.look(side, at, "candidates", place) : null;
  }

  /**
   * @param {import("../stage/side.js").SideView[]} views
   * @param {boolean} inspecting
   * @param {import("../views/numbers.js").Numbers[]} numbers beside which the drawer is opened
   */
  show(views, inspecting, numbers) {
    const { unmask } = this;
    const moving = unmask.player.head.playing;
    const { side: looked, cell, selected, hovered } = unmask.selection;
    const inspected = inspecting && cell !== NOTHING ? looked : NOTHING;
    if (inspected !== NOTHING) this.reasons.show(unmask.side(looked), unmask.player.at(looked), cell, moving);
    const fits = inspected === NOTHING ? unmask.fits : NOTHING;
    if (fits !== NOTHING) {
      const chosen = looked === fits && selected.length ? cell : NOTHING;
      const pointed = hovered.side === fits && hovered.cell !== NOTHING ? hovered.cell : chosen;
      this.drawer.show(unmask.side(fits), unmask.player.at(fits), pointed, moving);
    } else this.drawer.hide();
    views.forEach((view, number) => {
      const opener = numbers[number]?.fit;
      opener?.setAttribute("aria-expanded", String(unmask.fits === number));
      if (number === unmask.fits) this.button = opener;
      const own = number === inspected ? this.reasons.threads : number === fits ? this.drawer.threads : [];
      view.threads.show(own, view.paper.painted);
      view.shade.show(view.paper, number === inspected ? this.reasons.shades : []);
    });
  }
}
