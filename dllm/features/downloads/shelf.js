/** The models that this server can fetch, and how far each is; answered again while something is on its way. */

import { reactive } from "../../assets/wire/reactive.js";

/**
 * @typedef {object} Progress
 * @property {"open" | "coming" | "closed" | "failed"} state
 * @property {boolean} [used]
 * @property {string} [stage]
 * @property {number} [done] of `total`: bytes, or layers in a stage
 * @property {number} [total]
 * @property {number | null} [left] seconds
 * @property {string} [why]
 */

/** @typedef {Progress & {name: string, here: boolean, download: number}} Twin */

/**
 * @typedef {Progress & {name: string, good: string, asks: string, wanted: "" | "smallest" | "best" | "code",
 *   licence: string, billions: number, download: number, disk: number, need: number, number: string, here: boolean,
 *   stored: number, seconds: number | null, fits: boolean, tight: boolean, twin?: Twin}} Row
 */

/** @typedef {"open" | "cancel" | "close" | "delete"} Deed */
/** @typedef {{cores: number, memory: number, disk: number}} Machine bytes that are free */

const AGAIN = 700; // ms between two looks while something is on its way

export class Shelf {
  state = reactive({
    rows: /** @type {Row[]} */ ([]),
    machine: /** @type {Machine | null} */ (null),
    owner: false, // this person may stop, close and delete
    why: "", // a wish was refused
    answered: false, // the server has answered, or cannot
  });

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer;
  all = false; // all models are shown, and timed

  /** Look now, and again while something is on its way.
   * @param {{model: string, do: Deed} | null} wish
   */
  async look(wish = null) {
    clearTimeout(this.timer);
    try {
      const address = new URL(this.all && !wish ? "shelf?all=1" : "shelf", document.baseURI);
      const answer = await fetch(address, wish ? { method: "POST", body: JSON.stringify(wish) } : {});
      const found = await answer.json();
      if (found.items)
        Object.assign(this.state, { rows: found.items, owner: found.owner, machine: found.machine ?? null });
      this.state.why = found.why ?? "";
      this.state.answered = true;
      clearTimeout(this.timer);
      const measuring = this.state.rows.some(
        ({ seconds, wanted, here }) => seconds === null && (this.all || wanted || here),
      );
      if (this.coming || measuring) this.timer = setTimeout(() => this.look(), AGAIN);
    } catch {
      this.timer = setTimeout(() => this.look(), 4 * AGAIN); // the line under the stage says that it is lost
    }
  }

  /** Something is on its way. */
  get coming() {
    return this.state.rows.some(({ state, twin }) => state === "coming" || twin?.state === "coming");
  }

  /** How much of a download has come. */
  get share() {
    const one = this.state.rows.find(({ state, stage, total }) => state === "coming" && !stage && total);
    return one?.total ? (one.done ?? 0) / one.total : 0;
  }

  /** @param {string} name */
  row(name) {
    return this.state.rows.find((row) => row.name === name);
  }
}

/** @type {Shelf | undefined} */
let shared;

/** The one that all parts of the page look at. */
export function shelf() {
  return (shared ??= new Shelf());
}
