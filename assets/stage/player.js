/** Which moment is shown, and how the head moves: play, pause, step, seek, pace. */

import {
  FIRST_VISIT,
  RECORDED,
  SLOW_MOTION,
  SPEEDS,
  advanced,
  end,
  neighbour,
  onAxis,
  placeOf,
  shown,
  slowness,
  times,
} from "../clock/playhead.js";
import { ChosenClock } from "../clock/machine.js";
import { reactive } from "../wire/reactive.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("../clock/playhead.js").Playhead} Playhead */

/**
 * What a player asks of its stage.
 * @typedef {object} Company
 * @property {() => number} looked the side that a person looks at
 * @property {() => boolean} catchingUp something is still to come, though all runs seem over
 * @property {() => boolean} touched whether the head may move as a person wishes
 * @property {() => void} begin where nothing is there to play
 * @property {() => void} pausing before a pause
 * @property {(side: Side) => void} step asks the server for one pass
 */

export class Player {
  /**
   * @param {import("./document.js").StageDocument} document
   * @param {Company} company
   */
  constructor(document, company) {
    this.document = document;
    this.company = company;
  }

  chosen = new ChosenClock(); // another machine's clock, which the sides may play on
  state = reactive({
    head: /** @type {Playhead} */ ({ axis: "clock", at: 0, playing: false, following: false }),
    speed: 0,
    first: false, // a first visit: the first looks are slow, with captions
    slowly: false, // what is over in an instant plays in slow motion, unless a person chose a speed
  });

  get head() {
    return this.state.head;
  }

  get speed() {
    return this.state.speed;
  }

  get first() {
    return this.state.first;
  }

  get slowly() {
    return this.state.slowly;
  }

  /** A first visit is shown slowly, with captions; or it is over.
   * @param {boolean} on
   */
  firstVisit(on) {
    this.state.first = on;
  }

  /** A run plays in slow motion, unless a person chose a speed.
   * @param {boolean} on
   */
  inSlowMotion(on) {
    this.state.slowly = on;
  }

  /** Play at the speed of somebody else.
   * @param {number} index
   */
  playAt(index) {
    this.state.speed = index;
  }

  // what is there

  /** Another machine's clock, if the sides play on it. */
  get clock() {
    return this.chosen.on ? this.chosen.of(this.document.side(0)) : null;
  }

  /** The sides with the times that they play at: as measured, or another machine's. */
  get timed() {
    const { clock } = this;
    return clock ? this.document.sides.map((side) => clock.side(side)) : this.document.sides;
  }

  /** @param {number} number */
  timedSide(number) {
    const side = this.document.side(number);
    return this.clock?.side(side) ?? side;
  }

  get pace() {
    const speed = /** @type {import("../clock/playhead.js").Speed} */ (SPEEDS[this.speed]);
    if (this.speed) return speed;
    if (this.document.sides.some(({ source }) => source === "live")) return this.slowly ? SLOW_MOTION : speed;
    if (this.clock) return { ...RECORDED, slow: Infinity }; // too short to be watched, so it takes as long as it may
    return this.first ? FIRST_VISIT : RECORDED;
  }

  /** The moment that a side shows.
   * @param {number} number
   */
  at(number) {
    return shown(this.timedSide(number), this.head);
  }

  /** Whether a side shows the guesses of its next pass before that writes, and in how many ms they sharpen.
   * @param {number} number
   * @param {number} alone the share of a pass for which the words of the last are seen alone
   * @returns {{ahead: boolean, ghost: number, spread: number}}
   */
  ahead(number, alone) {
    const none = { ahead: false, ghost: 300, spread: 90 };
    const { head } = this;
    const side = this.timedSide(number);
    const at = this.at(number);
    if (!head.playing || head.following || head.hold || side.head.causal || side.moments[at + 1]?.kind !== "pass")
      return none;
    const row = times(side, head.axis);
    const span = (row[at + 1] ?? 0) - (row[at] ?? 0);
    if ((head.at - (row[at] ?? 0)) / span < alone) return none;
    const wall = Math.max(200, span * slowness(head, this.pace, this.timed) * (1 - alone) * 0.78);
    const spread = wall * (at ? 0.2 : 0.45);
    return { ahead: true, ghost: wall - spread, spread };
  }

  // time

  /** Time passes for what plays.
   * @param {number} elapsed ms
   * @returns {boolean} whether it goes on
   */
  tick(elapsed) {
    const { state, document } = this;
    state.head = advanced(state.head, this.pace, elapsed, this.timed);
    if (this.head.following && this.head.playing && document.over && !this.company.catchingUp())
      this.move({ playing: false });
    return this.head.playing && !this.head.following;
  }

  /** @param {Partial<Playhead>} to where the head moves; `at: Infinity` is the end */
  move(to) {
    const head = { ...this.head, ...to };
    this.state.head = { ...head, at: Number.isFinite(head.at) ? head.at : end(this.timed, head.axis) };
  }

  /** Whether the head stands at the end of what is known. */
  get atTip() {
    return this.head.following || this.head.at >= end(this.timed, this.head.axis) - 1e-6;
  }

  toggle() {
    if (!this.company.touched()) return;
    if (this.head.playing) return this.pause();
    if (this.document.sides.every((side) => side.source === "empty")) return this.company.begin();
    if (this.atTip && !this.document.over) return this.move({ playing: true, following: true });
    this.move({ playing: true, following: false, at: this.atTip ? 0 : this.head.at }); // what is over is played again
  }

  pause() {
    this.company.pausing();
    this.move({ playing: false, at: this.head.following ? end(this.timed, this.head.axis) : this.head.at });
  }

  /** One pass back or on; beyond what is known, the server is asked for one pass.
   * @param {1 | -1} by
   */
  step(by) {
    if (!this.company.touched()) return;
    if (by > 0 && this.atTip && !this.document.over) {
      this.move({ playing: false, following: true });
      for (const side of this.document.live) if (!side.done) this.company.step(side);
    } else
      this.move({ playing: false, following: false, at: neighbour(this.timed, this.head, by, this.company.looked()) });
  }

  /** @param {number} to */
  seek(to) {
    if (!this.company.touched()) return;
    const last = end(this.timed, this.head.axis);
    const following = to >= last - 1e-6 && !this.document.over;
    this.move({ at: Math.min(to, last), following, playing: following && this.head.playing });
  }

  /** @param {number} index */
  setPace(index) {
    this.state.speed = index;
    this.state.head = onAxis(this.head, this.timed, this.pace.axis);
  }

  /** Choose another machine's clock, or turn it on and off; the first side stays at what it shows, and an end an end.
   * @param {Partial<import("../clock/machine.js").Choice>} choice
   * @param {boolean} [on]
   */
  turnClock(choice, on = this.chosen.on) {
    const { atTip } = this;
    const at = this.at(0);
    this.chosen.choose(choice, on);
    if (this.head.axis !== "clock" || this.head.following) return;
    this.move({ at: atTip ? end(this.timed, "clock") : placeOf(this.timedSide(0), at, "clock") });
  }

  /** Show a moment of a side.
   * @param {number} side
   * @param {number} moment
   */
  jump(side, moment) {
    if (!this.company.touched()) return;
    const following = moment === this.document.side(side).moments.length - 1 && !this.document.over;
    this.move({ at: placeOf(this.timedSide(side), moment, this.head.axis), following, playing: false });
  }
}
