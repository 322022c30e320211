/** Keeps the server's runs going as a person wishes: at which pace, or not at all. It says each wish once. */

/** @typedef {import("./store.js").Lane} Lane */
/** @typedef {import("./playhead.js").Speed} Speed */

const SLOWEST_FIRST = 1; // seconds a pass may take at most while a run is stretched, so that nobody waits in vain

export class Driver {
  /** @param {(lane: Lane, message: {do: string, slow?: number, pace?: number}) => void} send */
  constructor(send) {
    this.send = send;
    /** @type {Map<string, string>} */
    this.said = new Map();
  }

  /**
   * Called often; sends only what is new.
   * @param {Lane[]} lanes
   * @param {boolean} wanted a person wants it to go on
   * @param {Speed} speed
   */
  wish(lanes, wanted, speed) {
    for (const lane of lanes) {
      if (lane.source !== "live" || !lane.session) continue;
      if (lane.done || lane.failed) {
        this.said.delete(lane.session);
        continue;
      }
      const message = wanted ? { do: "play", ...pace(speed) } : { do: "pause" };
      const wish = JSON.stringify(message);
      if (this.said.get(lane.session) === wish) continue;
      if (!wanted && !this.said.has(lane.session)) continue; // it was never asked to play
      this.said.set(lane.session, wish);
      this.send(lane, message);
    }
  }
}

/**
 * How a speed is asked for: passes stretched, or a least time for each.
 * @param {Speed} speed
 */
export function pace(speed) {
  if (speed.axis === "pass") return { pace: Math.min(SLOWEST_FIRST, 1 / speed.passes) };
  return speed.slow > 1 ? { slow: speed.slow } : {};
}
