/** What the stage asks beside the run: about a cell in the inspector, about the next words in a drawer, and the threads. */

import { Drawer } from "./drawer.js";
import { lensesOf } from "./lenses.js";
import { Reasons } from "./reasons.js";
import { Shade } from "./shade.js";
import { Threads } from "./threads.js";
import { placeOf } from "../../assets/views/belief.js";
import { t } from "../../assets/looks/language.js";
import { NOTHING } from "../../assets/wire/canvas.js";
import { reactive } from "../../assets/wire/reactive.js";

/** @typedef {import("../../assets/wire/store.js").Side} Side */
/** @typedef {import("../../assets/stage/controller.js").Controller} Unmask */
/** @typedef {import("./lenses.js").Look} Look */

export class Lens {
  /**
   * @param {Unmask} unmask
   * @param {import("../../assets/stage/side.js").SideView[]} views
   */
  constructor(unmask, views) {
    this.unmask = unmask;
    this.views = views;
    const lenses = lensesOf(unmask);
    this.threads = views.map(({ paper }) => {
      const threads = new Threads(paper.node);
      paper.node.after(threads.node);
      return threads;
    });
    this.shades = views.map(() => new Shade());
    this.reasons = new Reasons({
      look: (kind, at, cell, fields) => lenses.look(unmask.side(unmask.selection.side), at, kind, cell, fields),
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
      (side, at, kind, cell = NOTHING) => lenses.look(side, at, kind, cell),
      () => this.close(),
    );
    this.word = this.reasons.node;
    this.run = this.drawer.node;
  }

  /** the side whose next words are looked at together */
  state = reactive({ fits: NOTHING });
  /** @type {import("../../assets/looks/features.js").Ask[]} */
  asks = [
    {
      text: t("Which words clash?"),
      title: t("See how the words about to be written suit each other"),
      may: ({ source, head }) => source === "live" && !head.causal, // one word at a time suits itself
      go: (number, button) => {
        this.button = button;
        this.fit(number);
      },
      open: (number) => this.state.fits === number,
    },
  ];

  /** Look at how the next words of a side suit each other, or no longer.
   * @param {number} side
   */
  fit(side) {
    this.state.fits = this.state.fits === side ? NOTHING : side;
    this.unmask.inspect(false);
  }

  /** @type {HTMLElement | undefined} what opened the drawer */
  button;

  /** Close the drawer, if it is what a person looks at; the keyboard goes back to what opened it. */
  close() {
    const { unmask, button } = this;
    if (this.state.fits === NOTHING || unmask.inspecting) return false;
    this.fit(this.state.fits);
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
    return this.reasons.raw && side.source === "live"
      ? lensesOf(this.unmask).look(side, at, "candidates", place)
      : null;
  }

  /** @param {boolean} inspecting */
  show(inspecting) {
    const { unmask } = this;
    const moving = unmask.player.head.playing;
    const { side: looked, cell, selected, hovered } = unmask.selection;
    const read = !this.word.closest("[role=tabpanel][hidden]"); // where another page of the dock is open, it is not
    const inspected = inspecting && read && cell !== NOTHING ? looked : NOTHING;
    if (inspected !== NOTHING) this.reasons.show(unmask.side(looked), unmask.player.at(looked), cell, moving);
    const fits = inspected === NOTHING ? this.state.fits : NOTHING;
    if (fits !== NOTHING) {
      const chosen = looked === fits && selected.length ? cell : NOTHING;
      const pointed = hovered.side === fits && hovered.cell !== NOTHING ? hovered.cell : chosen;
      this.drawer.show(unmask.side(fits), unmask.player.at(fits), pointed, moving);
    } else this.drawer.hide();
    this.views.forEach(({ paper }, number) => {
      const own = number === inspected ? this.reasons.threads : number === fits ? this.drawer.threads : [];
      this.threads[number]?.show(own, paper.painted);
      this.shades[number]?.show(paper, number === inspected ? this.reasons.shades : []);
    });
  }
}
