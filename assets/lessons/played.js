/** The runs of a lesson on the stage: opened, awaited, measured by the server, and compared with their goals. */

import { openOrder } from "../stage/order.js";
import { unmask } from "../stage/page.js";

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
   * @param {(name: string, met: boolean[]) => void} ended
   * @param {(why: string) => void} failed
   */
  constructor(ended, failed) {
    this.ended = ended;
    this.failed = failed;
    this.watch = () => void this.look();
    unmask.watchers.add(this.watch);
  }

  /** Another lesson is opened. */
  leave() {
    unmask.watchers.delete(this.watch);
    this.current = null;
  }

  /**
   * @param {string} name
   * @param {LessonRun} run
   * @param {Record<string, any>} order with the numbers that a student has set
   */
  play(name, run, order) {
    this.current = { name, run, before: unmask.sides.map(({ session }) => session) };
    openOrder(order, run.edits);
  }

  /** Called with every painting: once the run is over and its end is shown, it is measured. */
  async look() {
    const { current } = this;
    const [side, beside] = unmask.sides;
    if (!current || unmask.next || side?.source !== "live" || current.before.includes(side.session)) return;
    if (!unmask.over || unmask.at(0) < side.moments.length - 1) return;
    this.current = null;
    if (side.failed) return this.failed(side.failed);
    const { name, run } = current;
    const goals = Object.values(run.goals);
    try {
      if (beside?.session && goals.some((goal) => goal.includes(`${TWIN}.`)))
        this.known[TWIN] = (await ask(beside.session, [], {})).measures;
      const { measures, met } = await ask(side.session, goals, this.known);
      this.known[name] = measures;
      this.ended(name, met);
    } catch (error) {
      this.failed(/** @type {Error} */ (error).message);
    }
  }
}

/**
 * @param {string} session
 * @param {string[]} goals
 * @param {Record<string, Measures>} runs
 */
async function ask(session, goals, runs) {
  const answer = await unmask.questions.ask({ do: "goals", session, goals, runs }, PATIENCE);
  if (answer?.did !== "goals") throw new Error(answer?.why ?? "");
  return /** @type {{measures: Measures, met: boolean[]}} */ (/** @type {unknown} */ (answer));
}
