/** How many facts of a finished text agree, where the judge of our own worlds can read it; asked once for each text. */

import { textOfPieces } from "../looks/bytes.js";
import { GIVEN, NOTHING, OPEN } from "../wire/canvas.js";
import { reactive } from "../wire/reactive.js";
import { textEnd } from "../wire/timeline.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {{facts: number, hold: number, strict: boolean, faults: number, reasons: string[]}} Quality */

const KEPT = 64; // texts whose answers are remembered

export class Qualities {
  /** @param {(message: Record<string, any>) => Promise<Record<string, any> | null>} ask */
  constructor(ask) {
    this.ask = ask;
    this.state = reactive({ answers: 0 });
    /** @type {Map<string, Quality | null>} by text; null where nothing is known, or not yet */
    this.known = new Map();
    this.unanswered = false; // the last question: a page without a server waits for nothing
  }

  /** What is known of a side's text at a moment; null while it is not finished, or cannot be judged; undefined while
   * the judge reads it.
   * @param {Side} side
   * @param {number} at
   * @returns {Quality | null | undefined}
   */
  of(side, at) {
    const texts = judgeable(side, at);
    if (!texts) return null;
    const key = texts.join("\u0000");
    void this.state.answers; // the next may be about this text
    const known = this.known.get(key);
    if (known === undefined) void this.find(key, ...texts);
    if (!known) return this.unanswered ? null : undefined;
    return known.facts ? known : null;
  }

  /** Whether the judge has been sent a side's text and has not answered yet.
   * @param {Side} side
   * @param {number} at
   */
  pending(side, at) {
    void this.state.answers;
    return this.known.get(judgeable(side, at)?.join("\u0000") ?? "") === null;
  }

  /**
   * @param {string} key
   * @param {string} prompt
   * @param {string} text
   */
  async find(key, prompt, text) {
    this.known.set(key, null);
    if (this.known.size > KEPT) this.known.delete(this.known.keys().next().value ?? "");
    const answer = await this.ask({ do: "judge", prompt, text });
    this.unanswered = answer?.did !== "judged";
    if (answer?.did !== "judged") return void this.known.delete(key); // somebody may answer later
    const { facts, hold, strict, faults, reasons } = answer;
    this.known.set(key, { facts, hold, strict, faults, reasons });
    this.state.answers++;
  }
}

/** Prompt and text of a finished side, if they are of a kind that a judge reads.
 * @param {Side} side
 * @param {number} at
 * @returns {[string, string] | null}
 */
function judgeable(side, at) {
  const moment = side.moments[at];
  if (!moment || moment.open || at !== side.moments.length - 1 || !side.done || side.failed) return null;
  const { prompt, text } = spelled(side, at);
  return prompt.includes(":") ? [prompt, text] : null;
}

/**
 * What was given before the first blank, and the whole text up to its end.
 * @param {Side} side
 * @param {number} at
 */
export function spelled(side, at) {
  const moment = side.moments[at];
  /** @type {string[]} */
  const pieces = [];
  let given = 0;
  if (moment) {
    const ends = side.head.ends ?? [];
    const stops = textEnd(moment, ends);
    for (let cell = 0; cell < stops; cell++) {
      const token = moment.tokens[cell] ?? NOTHING;
      if (moment.kinds[cell] === GIVEN && given === pieces.length) given++;
      if (moment.kinds[cell] === OPEN || token === NOTHING || ends.includes(token)) continue;
      pieces.push(side.pieces.get(token) ?? "");
    }
  }
  return { prompt: textOfPieces(pieces.slice(0, given)), text: textOfPieces(pieces) };
}
