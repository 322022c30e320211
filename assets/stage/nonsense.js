/** Asks the server during a run whether its text makes sense, so that a person can stop it early. */

import { OPEN } from "../wire/canvas.js";
import { reactive } from "../wire/reactive.js";
import { hasGaps } from "../views/sentence.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("../ask/offers.js").Offer} Offer */
/** @typedef {{at: number, found: boolean, offers: Offer[]}} Answer at the moment at which it was asked */

const LEAST = 32; // cells from the front: fewer say too little
const EVERY = 12; // moments between two questions

export class Nonsense {
  /** @param {(message: Record<string, any>) => Promise<Record<string, any> | null>} ask */
  constructor(ask) {
    this.ask = ask;
    this.state = reactive({ answers: 0 });
    /** @type {Map<string, Answer>} the last answer, or question, about each run */
    this.known = new Map();
  }

  /** What is known of a side's run at a moment; null where nothing speaks against its text.
   * @param {Side} side
   * @param {number} at
   * @returns {Answer | null}
   */
  of(side, at) {
    void this.state.answers; // the next may be about this run
    // a recording cannot be stopped; texts under a rule or around given words were not measured
    if (side.source !== "live" || Object.keys(side.head.settings?.constraint ?? {}).length || hasGaps(side))
      return null;
    const newest = side.moments.length - 1;
    const known = this.known.get(side.session);
    if (known && known.at > newest)
      this.known.delete(side.session); // the run went back
    else if (known?.found) return at >= known.at ? known : null;
    const due = newest - (known?.at ?? -EVERY) >= EVERY || (side.done && known?.at !== newest);
    if (due && written(side) >= LEAST) void this.find(side.session, newest);
    return null;
  }

  /**
   * @param {string} session
   * @param {number} at
   */
  async find(session, at) {
    this.known.set(session, { at, found: false, offers: [] });
    const answer = await this.ask({ do: "nonsense", session });
    if (answer?.did !== "nonsense" || !answer.found || this.known.get(session)?.at !== at) return;
    this.known.set(session, { at, found: true, offers: answer.offers });
    this.state.answers++;
  }
}

/** Cells from the end of the prompt on that are not open.
 * @param {Side} side
 */
export function written({ moments }) {
  const [first, last] = [moments[0], moments.at(-1)];
  if (!first || !last) return 0;
  const begins = first.kinds.indexOf(OPEN);
  const open = last.kinds.indexOf(OPEN);
  return (open < 0 ? last.kinds.length : open) - Math.max(0, begins);
}
