/** The machine whose clock is modelled, as a person chose it, and sides with its times in place of this machine's. Pure. */

import { t } from "../looks/language.js";
import { CHIPS, EFFICIENCY, SIZES } from "./figures.js";
import { reactive } from "../wire/reactive.js";
import { worksOf } from "./fed_tokens.js";
import { passSeconds } from "./pass_time.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("../wire/timeline.js").Moment} Moment */
/** @typedef {import("./pass_time.js").Machine & {chip: import("./figures.js").NamedChip, size: import("./figures.js").NamedSize}} Machine */

/**
 * @typedef {object} Choice
 * @property {string} chip the name of one, or `own`
 * @property {string} size the name of a model, `pair` for the one that ran, or `own`
 * @property {number} bandwidth of one's own chip, in terabytes a second
 * @property {number} operations of one's own chip, in trillions a second
 * @property {number} billions of parameters of one's own model, dense and in bf16
 * @property {number} users
 * @property {number} efficiency
 */

/** @type {Choice} */
export const FIRST_CHOICE = {
  chip: "h100",
  size: "llada-8b",
  bandwidth: 3.35,
  operations: 989,
  billions: 8,
  users: 1,
  efficiency: EFFICIENCY,
};

/** The machine that was chosen; null where a number of one's own is missing.
 * @param {Choice} choice
 * @param {Side} side the run whose model is meant by `pair`
 * @returns {Machine | null}
 */
export function machineOf(choice, side) {
  const { bandwidth, operations, users, efficiency } = choice;
  const own = { name: "", bandwidth: bandwidth * 1e12, operations: operations * 1e12, fp8: true, source: "" };
  const chip = choice.chip === "own" ? own : CHIPS[choice.chip];
  const parameters = choice.size === "pair" ? Number(side.head.model?.parameters ?? 0) : choice.billions * 1e9;
  const dense = { name: "", parameters, active: parameters, bytes: 2, experts: 1, chosen: 1, cached: 0 };
  const size = SIZES[choice.size] ?? dense;
  if (!chip || !(chip.bandwidth > 0 && chip.operations > 0 && size.parameters > 0)) return null;
  return { chip, size, users, efficiency, overhead: 0 };
}

/** A model's size for a sentence, such as "16 billion (1.4 active)": "a model of …".
 * @param {import("./pass_time.js").Size} size
 * @returns {[amount: string, unit: "billion" | "million", active: string]}
 */
export function sizeInWords({ parameters, active, experts }) {
  const [unit, word] =
    parameters >= 1e9 ? [1e9, /** @type {const} */ ("billion")] : [1e6, /** @type {const} */ ("million")];
  const short = (/** @type {number} */ value) => String(Number((value / unit).toPrecision(3)));
  return [short(parameters), word, experts === 1 ? "" : short(active)];
}

/** Sides on another machine's clock. What was measured stays in the sides that it is given. */
export class ModelledClock {
  /** @param {Machine} machine */
  constructor(machine) {
    this.machine = machine;
    /** @type {WeakMap<Side, Side>} */
    this.sides = new WeakMap();
    /** @type {WeakMap<Moment, Moment>} */
    this.moments = new WeakMap();
  }

  /** The machine's name in a sentence. */
  get name() {
    return this.machine.chip.name || t("accelerator");
  }

  /** The side with this clock's times; the same object as long as it is the same side.
   * @param {Side} side
   * @returns {Side}
   */
  side(side) {
    const known = this.sides.get(side);
    if (known) return known;
    let clock = 0;
    const works = worksOf(side);
    const moments = side.moments.map((moment, at) => {
      const work = works[at];
      if (work) clock += 1000 * passSeconds(this.machine, work);
      const before = this.moments.get(moment);
      if (before) return before;
      const timed = { ...moment, clock, thinking: clock, other: 0, shared: false };
      this.moments.set(moment, timed);
      return timed;
    });
    const timed = { ...side, moments };
    this.sides.set(side, timed);
    return timed;
  }
}

/** What a person chose, and the clock that follows from it. */
export class ChosenClock {
  state = reactive({ choice: FIRST_CHOICE, on: false });

  get choice() {
    return this.state.choice;
  }

  /** Whether the sides play on it. */
  get on() {
    return this.state.on;
  }

  /**
   * @param {Partial<Choice>} changes
   * @param {boolean} [on]
   */
  choose(changes, on = this.on) {
    this.state.choice = { ...this.choice, ...changes };
    this.state.on = on;
  }

  /** @type {ModelledClock | null} */
  clock = null;
  made = "";

  /** The clock for a run's model; null where a number of one's own is missing. The same one until something differs.
   * @param {Side} side
   */
  of(side) {
    const made = JSON.stringify([this.choice, this.choice.size === "pair" ? side.head.model?.parameters : 0]);
    if (made === this.made) return this.clock;
    const machine = machineOf(this.choice, side);
    this.clock = machine && new ModelledClock(machine);
    this.made = made;
    return this.clock;
  }
}
