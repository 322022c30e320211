/** Which moment is shown, and how the head moves: play, pause, step, seek, pace; one painting for each frame of the screen. */

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
import { emptySide } from "../wire/store.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("../clock/playhead.js").Playhead} Playhead */

export class Player {
  /** @type {import("../wire/store.js").Stage} */
  stage = { sides: [emptySide(), emptySide()] };
  /** @type {Playhead} */
  head = { axis: "clock", at: 0, playing: false, following: false };
  speed = 0;
  first = false; // a first visit: the first looks are slow, with captions
  slowly = false; // what is over in an instant plays in slow motion, unless a person chose a speed
  chosen = new ChosenClock(); // another machine's clock, which the sides may play on
  /** @type {Set<() => void>} */
  watchers = new Set();

  frame = 0;
  last = 0;

  /** A first visit is shown slowly, with captions; or it is over.
   * @param {boolean} on
   */
  firstVisit(on) {
    this.first = on;
  }

  /** A run plays in slow motion, unless a person chose a speed.
   * @param {boolean} on
   */
  inSlowMotion(on) {
    this.slowly = on;
  }

  /** Play at the speed of somebody else.
   * @param {number} index
   */
  playAt(index) {
    this.speed = index;
  }

  // overridden by the controller

  /** The side that a person looks at. */
  get looked() {
    return 0;
  }

  /** Something is still to come, though all runs seem over. */
  get catchingUp() {
    return false;
  }

  /** Called before each painting. */
  drive() {}

  /** Whether the head may move as a person wishes. */
  touched() {
    return true;
  }

  /** Begin where nothing is there to play. */
  run() {}

  /**
   * Ask the server something about a side.
   * @param {Side} side
   * @param {Record<string, any>} message
   */
  send(side, message) {
    void [side, message];
  }

  // what is there

  /** @param {import("../wire/store.js").Stage} stage */
  put(stage) {
    this.stage = stage;
  }

  get sides() {
    return this.stage.sides;
  }

  /** Another machine's clock, if the sides play on it. */
  get clock() {
    return this.chosen.on ? this.chosen.of(this.side(0)) : null;
  }

  /** The sides with the times that they play at: as measured, or another machine's. */
  get timed() {
    const { clock } = this;
    return clock ? this.sides.map((side) => clock.side(side)) : this.sides;
  }

  /** @param {number} number */
  timedSide(number) {
    const side = this.side(number);
    return this.clock?.side(side) ?? side;
  }

  get live() {
    return this.sides.filter((side) => side.source === "live" && side.session);
  }

  get pace() {
    const speed = /** @type {import("../clock/playhead.js").Speed} */ (SPEEDS[this.speed]);
    if (this.speed) return speed;
    if (this.sides.some(({ source }) => source === "live")) return this.slowly ? SLOW_MOTION : speed;
    if (this.clock) return { ...RECORDED, slow: Infinity }; // too short to be watched, so it takes as long as it may
    return this.first ? FIRST_VISIT : RECORDED;
  }

  /** Whether nothing more will come by itself. */
  get over() {
    return this.sides.every((side) => side.source !== "live" || side.done || side.failed !== "");
  }

  /** The side of this number.
   * @param {number} number
   */
  side(number) {
    return /** @type {Side} */ (this.sides[number]);
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

  /** Something differs: paint with the next frame, and only once. */
  changed() {
    if (!this.frame) this.frame = requestAnimationFrame((now) => this.tick(now));
  }

  /** Paint at once: a person waits for it. */
  now() {
    cancelAnimationFrame(this.frame);
    this.tick(performance.now());
  }

  /** @param {number} now */
  tick(now) {
    this.frame = 0;
    const elapsed = this.last ? Math.min(250, now - this.last) : 0;
    this.head = advanced(this.head, this.pace, elapsed, this.timed);
    if (this.head.following && this.head.playing && this.over && !this.catchingUp) this.move({ playing: false });
    this.drive();
    for (const watcher of this.watchers) watcher();
    const moves = this.head.playing && !this.head.following;
    this.last = moves ? now : 0;
    if (moves) this.changed();
  }

  /** @param {Partial<Playhead>} to */
  move(to) {
    this.head = { ...this.head, ...to };
    this.changed();
  }

  /** Whether the head stands at the end of what is known. */
  get atTip() {
    return this.head.following || this.head.at >= end(this.timed, this.head.axis) - 1e-6;
  }

  toggle() {
    if (!this.touched()) return;
    if (this.head.playing) return this.pause();
    if (this.sides.every((side) => side.source === "empty")) return this.run();
    if (this.atTip && !this.over) return this.move({ playing: true, following: true });
    this.move({ playing: true, following: false, at: this.atTip ? 0 : this.head.at }); // what is over is played again
  }

  pause() {
    this.move({ playing: false, at: this.head.following ? end(this.timed, this.head.axis) : this.head.at });
  }

  /** One pass back or on; beyond what is known, the server is asked for one pass.
   * @param {1 | -1} by
   */
  step(by) {
    if (!this.touched()) return;
    if (by > 0 && this.atTip && !this.over) {
      this.move({ playing: false, following: true });
      for (const side of this.live) if (!side.done) this.send(side, { do: "step", passes: 1 });
    } else this.move({ playing: false, following: false, at: neighbour(this.timed, this.head, by, this.looked) });
  }

  /** @param {number} to */
  seek(to) {
    if (!this.touched()) return;
    const last = end(this.timed, this.head.axis);
    const following = to >= last - 1e-6 && !this.over;
    this.move({ at: Math.min(to, last), following, playing: following && this.head.playing });
  }

  /** @param {number} index */
  setPace(index) {
    this.speed = index;
    this.head = onAxis(this.head, this.timed, this.pace.axis);
    this.changed();
  }

  /** Choose another machine's clock, or turn it on and off; the first side stays at what it shows, and an end an end.
   * @param {Partial<import("../clock/machine.js").Choice>} choice
   * @param {boolean} [on]
   */
  turnClock(choice, on = this.chosen.on) {
    const { atTip } = this;
    const at = this.at(0);
    Object.assign(this.chosen.choice, choice);
    this.chosen.on = on;
    if (this.head.axis !== "clock" || this.head.following) return this.changed();
    this.move({ at: atTip ? end(this.timed, "clock") : placeOf(this.timedSide(0), at, "clock") });
  }

  /** Show a moment of a side.
   * @param {number} side
   * @param {number} moment
   */
  jump(side, moment) {
    if (!this.touched()) return;
    const following = moment === this.side(side).moments.length - 1 && !this.over;
    this.move({ at: placeOf(this.timedSide(side), moment, this.head.axis), following, playing: false });
  }
}
