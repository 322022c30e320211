/** Interprets the statechart for one stage: takes events, keeps the state of each region, and starts its clocks. */

import { reactive } from "../wire/reactive.js";
import { STATECHART } from "./statechart.js";

/** @typedef {{is: string, keeps: any}} Now the state of a region, and what it keeps */

export class Machine {
  /** @param {Record<string, (keeps: any) => void>} [effects] what follows an event that led to another state, by event */
  constructor(effects = {}) {
    this.effects = effects;
    const first = Object.entries(STATECHART).map(([region, { first: is }]) => [region, { is, keeps: null }]);
    /** @type {Record<string, Now>} */
    this.state = reactive(Object.fromEntries(first));
    /** @type {Record<string, ReturnType<typeof setTimeout>>} */
    this.clocks = {};
  }

  /**
   * @param {string} region
   * @param {string} state
   */
  in(region, state) {
    return this.state[region]?.is === state;
  }

  /** What a region keeps, in one of its states or whichever it is in; null where it keeps nothing.
   * @param {string} region
   * @param {string} [state]
   */
  kept(region, state) {
    const now = this.state[region];
    return now && (state === undefined || now.is === state) ? now.keeps : null;
  }

  /** Something happened: each region that listens for it goes on.
   * @param {string} event
   * @param {any} [data] for a state that keeps it; without it, a region keeps what it has
   */
  send(event, data) {
    let [known, moved] = [false, false];
    for (const [region, { states }] of Object.entries(STATECHART)) {
      const now = /** @type {Now} */ (this.state[region]);
      const to = states[now.is]?.on[event];
      known ||= Object.values(states).some(({ on }) => event in on);
      if (to === undefined) continue;
      moved = true;
      clearTimeout(this.clocks[region]);
      const { keeps, after } = /** @type {import("./statechart.js").State} */ (states[to]);
      this.state[region] = { is: to, keeps: keeps ? (data ?? now.keeps) : null };
      if (after) this.clocks[region] = setTimeout(() => this.send(after[1]), after[0]);
    }
    if (!known) throw new Error(`the statechart has no event ${event}`);
    if (moved) this.effects[event]?.(data);
  }
}
