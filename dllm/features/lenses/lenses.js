/** What-if questions about a moment, each sent once: the answer is kept beside the moment it speaks of. */

import { NOTHING } from "../../assets/wire/canvas.js";
import { reactive } from "../../assets/wire/reactive.js";
import { t } from "../../assets/looks/language.js";

/** @typedef {import("../../assets/wire/store.js").Side} Side */
/** @typedef {import("../../assets/wire/canvas.js").Event} Event */
/** @typedef {"clash" | "paid" | "why" | "layers" | "attention" | "candidates" | "drift" | "validity"} Kind */
/** @typedef {{state: "none" | "asking" | "refused" | "known", why: string, answer: Record<string, any>}} Look */

const PATIENCE = 60_000; // ms: a question may think of a hundred canvases, between the passes of others

const BESIDE = 10; // guesses that are tried beside the words of the next pass

/** @type {Look} */
export const NO_LOOK = { state: "none", why: "", answer: {} };

export class Lenses {
  /** @param {(message: Record<string, any>, patience: number) => Promise<Event | null>} ask */
  constructor(ask) {
    this.ask = ask;
    this.state = reactive({ answers: 0 });
    /** @type {WeakMap<object, Map<string, Look>>} by moment: an edit makes others, and a branch shares those before it */
    this.looks = new WeakMap();
    /** @type {Map<string, string>} the last question of each kind: the server answers only that */
    this.last = new Map();
  }

  /**
   * What is known of a moment; a question where nothing is known yet.
   * @param {Side} side
   * @param {number} at
   * @param {Kind} kind
   * @param {number} [cell]
   * @param {Record<string, number>} [fields] of the question
   * @returns {Look}
   */
  look(side, at, kind, cell = NOTHING, fields = {}) {
    void this.state.answers; // the next may be the one that is awaited here
    const moment = side.moments[at];
    if (!moment) return NO_LOOK;
    const rows = this.looks.get(moment) ?? new Map();
    this.looks.set(moment, rows);
    const key = [kind, cell, ...Object.values(fields)].join(" ");
    const known = rows.get(key);
    if (known) return known;
    if (side.source !== "live" || !side.session)
      return {
        ...NO_LOOK,
        state: "refused",
        why: t("This is a recording. Press Run, and the model itself can answer."),
      };
    /** @type {Look} */
    const asking = { ...NO_LOOK, state: "asking" };
    rows.set(key, asking);
    const more = cell !== NOTHING ? { cell, ...fields } : kind === "clash" ? { beside: BESIDE } : {};
    void this.find(rows, key, { do: kind, session: side.session, at, ...more });
    return asking;
  }

  /**
   * @param {Map<string, Look>} rows
   * @param {string} key
   * @param {Record<string, any>} message
   */
  async find(rows, key, message) {
    const turn = `${message.session} ${message.do}`;
    const mine = `${key} ${message.at}`;
    this.last.set(turn, mine);
    const answer = await this.ask(message, PATIENCE);
    if (!answer || (answer.did === "refused" && this.last.get(turn) !== mine))
      rows.delete(key); // who comes back asks again
    else if (answer.did === "refused") rows.set(key, { state: "refused", why: sentence(answer.why), answer: {} });
    else rows.set(key, { state: "known", why: "", answer });
    this.state.answers++;
  }
}

/** @type {WeakMap<object, Lenses>} */
const stores = new WeakMap();

/** The questions of a stage, whoever asks them.
 * @param {import("../../assets/stage/controller.js").Controller} unmask
 */
export function lensesOf(unmask) {
  const known = stores.get(unmask) ?? new Lenses((message, patience) => unmask.questions.ask(message, patience));
  stores.set(unmask, known);
  return known;
}

/** @param {string} why */
function sentence(why) {
  return `${why.charAt(0).toUpperCase()}${why.slice(1)}${/[.!?]$/.test(why) ? "" : "."}`;
}
