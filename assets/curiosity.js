/** Asks the server what it believes of a cell: at once of another one, and of the same not with every pass. */

import { beliefAt, lastBelief } from "./belief.js";

/** @typedef {import("./store.js").Lane} Lane */

const REST = 120; // ms between two questions about the same cell while a run goes on

export class Curiosity {
  /**
   * @param {(lane: Lane, message: {do: "peek", cell: number, at: number}) => void} ask
   * @param {() => void} later called when it is time to wonder again
   */
  constructor(ask, later) {
    this.ask = ask;
    this.later = later;
    this.waiting = false; // for an answer
    this.last = { session: "", cell: -1, until: 0 };
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.again = undefined;
  }

  answered() {
    this.waiting = false;
  }

  /**
   * @param {Lane} lane
   * @param {number} at
   * @param {number} cell
   */
  wonder(lane, at, cell) {
    if (cell >= (lane.moments[at]?.tokens.length ?? 0) || beliefAt(lane, at, cell)) return;
    const same = this.last.cell === cell && this.last.session === lane.session;
    if (same && this.waiting) return;
    const rest = this.last.until - performance.now();
    if (same && rest > 0 && lastBelief(lane, at, cell)) {
      this.again ??= setTimeout(() => {
        this.again = undefined;
        this.later();
      }, rest + 2); // a timer may be early
      return;
    }
    this.last = { session: lane.session, cell, until: performance.now() + REST };
    this.waiting = true;
    this.ask(lane, { do: "peek", cell, at });
  }
}
