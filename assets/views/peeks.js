/** Asks the server what it believes of a cell: at once for another cell, and for the same one not with every pass. */

import { beliefAt, lastBelief } from "./belief.js";
import { reactive } from "../wire/reactive.js";

/** @typedef {import("../wire/store.js").Side} Side */

const REST = 120; // ms between two questions about the same cell while a run goes on

export class Peeks {
  /** @param {(side: Side, message: {do: "peek", cell: number, at: number, head?: string}) => void} ask */
  constructor(ask) {
    this.ask = ask;
    this.state = reactive({ rests: 0 }); // that are over: who asks is drawn again, and asks again
    this.waiting = false; // for an answer
    this.last = { owner: "", cell: -1, until: 0 };
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.again = undefined;
  }

  answered() {
    this.waiting = false;
  }

  /**
   * @param {Side} side
   * @param {number} at
   * @param {number} cell
   */
  request(side, at, cell) {
    if (cell >= (side.moments[at]?.tokens.length ?? 0) || beliefAt(side, at, cell)) return;
    void this.state.rests;
    const owner = `${side.session} ${side.of} ${side.branch}`;
    const same = this.last.cell === cell && this.last.owner === owner;
    if (same && this.waiting) return;
    const rest = this.last.until - performance.now();
    if (same && rest > 0 && lastBelief(side, at, cell)) {
      this.again ??= setTimeout(() => {
        this.again = undefined;
        this.state.rests++;
      }, rest + 2); // a timer may be early
      return;
    }
    this.last = { owner, cell, until: performance.now() + REST };
    this.waiting = true;
    this.ask(side, { do: "peek", cell, at, ...(side.of && { head: side.branch }) });
  }
}
