/** The runs of a lesson on the stage: opened, awaited, measured by the server, and compared with their goals. */

import { openOrder } from "../stage/order.js";

/** @typedef {import("./steps.js").Measures} Measures */
/** @typedef {{button: string, order: Record<string, any>, edits: [number, Record<string, any>][], goals: Record<string, string>}} LessonRun */

const TWIN = "twin";
const PATIENCE = 20_000; // ms for a measurement, which takes its turn

export class Played {
  /** @type {Record<string, Measures>} what is known of each run */
  known = {};
  /** @type {{name: string, run: LessonRun, before: string[]} | null} what was opened and has not ended */
  current = null;

  /**
   * @param {import("../stage/controller.js").Controller} unmask
   * @param {(name: string, met: boolean[]) => void} ended
   * @param {(why: string) => void} failed
   */
  constructor(unmask, ended, failed) {
    this.unmask = unmask;
    this.ended = ended;
    this.failed = failed;
    this.stop = unmask.frames.add(() => void this.look());
  }

  /** Another lesson is opened. */
  leave() {
    this.stop();
    this.current = null;
  }

  /**
   * @param {string} name
   * @param {LessonRun} run
   * @param {Record<string, any>} order with the numbers that a student has set
   */
  play(name, run, order) {
    this.current = { name, run, before: this.unmask.sides.map(({ session }) => session) };
    openOrder(order, run.edits);
  }

  /** Once the run is over and its end is shown, it is measured. */
  async look() {
    const { current } = this;
    const [side, beside] = this.unmask.sides;
    if (!current || this.unmask.next || side?.source !== "live" || current.before.includes(side.session)) return;
    if (!this.unmask.over || this.unmask.player.at(0) < side.moments.length - 1) return;
    this.current = null;
    if (side.failed) return this.failed(side.failed);
    const { name, run } = current;
    const goals = Object.values(run.goals);
    try {
      if (beside?.session && goals.some((goal) => goal.includes(`${TWIN}.`)))
        this.known[TWIN] = (await this.ask(beside.session, [], {})).measures;
      const { measures, met } = await this.ask(side.session, goals, this.known);
      this.known[name] = measures;
      this.ended(name, met);
    } catch (error) {
      this.failed(/** @type {Error} */ (error).message);
    }
  }
  /**
   * @param {string} session
   * @param {string[]} goals
   * @param {Record<string, Measures>} runs
   */
  async ask(session, goals, runs) {
    const answer = await this.unmask.questions.ask({ do: "goals", session, goals, runs }, PATIENCE);
    if (answer?.did !== "goals") throw new Error(answer?.why ?? "");
    return /** @type {{measures: Measures, met: boolean[]}} */ (/** @type {unknown} */ (answer));
  }
}
