/** Keeps the server's runs going at the chosen pace, or paused. Each message is sent once. */

import { stretch } from "../clock/playhead.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("../clock/playhead.js").Speed} Speed */

const FINER = 1.25; // a stretch that differs by less is not sent again
const SLOWEST_FIRST = 1; // seconds a pass may take at most while a run is stretched, so that nobody waits in vain

export class Driver {
  /** @param {(side: Side, message: {do: string, slow?: number, pace?: number}) => void} send */
  constructor(send) {
    this.send = send;
    /** @type {Map<string, string>} */
    this.sent = new Map();
    this.slow = 1;
  }

  /**
   * Called often; sends only what is new.
   * @param {Side[]} sides
   * @param {boolean} wanted a person wants it to go on
   * @param {Speed} speed
   */
  update(sides, wanted, speed) {
    const slow = stretch(speed, sides);
    if (!(slow / this.slow < FINER && this.slow / slow < FINER)) this.slow = slow;
    for (const side of sides) {
      if (side.source !== "live" || !side.session) continue;
      if (side.done || side.failed) {
        this.sent.delete(side.session);
        continue;
      }
      const message = wanted ? { do: "play", ...pace(speed, this.slow) } : { do: "pause" };
      const text = JSON.stringify(message);
      if (this.sent.get(side.session) === text) continue;
      if (!wanted && !this.sent.has(side.session)) continue; // it never played
      this.sent.set(side.session, text);
      this.send(side, message);
    }
  }
}

/**
 * How a speed is sent: passes stretched, or a least time for each.
 * @param {Speed} speed
 * @param {number} slow how many times device time is stretched
 */
export function pace(speed, slow) {
  if (speed.axis === "pass") return { pace: Math.min(SLOWEST_FIRST, 1 / speed.passes) };
  return slow > 1 ? { slow: Math.round(10 * slow) / 10 } : {};
}
