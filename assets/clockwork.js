/** Which moment is shown, and how the head moves: play, pause, step, seek, pace; one painting for each frame of the screen. */

import { SPEEDS, advanced, end, neighbour, onAxis, placeOf, shown } from "./playhead.js";
import { emptyLane } from "./store.js";

/** @typedef {import("./store.js").Lane} Lane */
/** @typedef {import("./playhead.js").Playhead} Playhead */

export class Clockwork {
  /** @type {import("./store.js").Stage} */
  stage = { lanes: [emptyLane(), emptyLane()] };
  /** @type {Playhead} */
  head = { axis: "clock", at: 0, playing: false, following: false };
  speed = 3;
  /** @type {Set<() => void>} */
  watchers = new Set();

  frame = 0;
  last = 0;

  // what whoever owns the clock says of itself

  /** The lane that a person looks at. */
  get looked() {
    return 0;
  }

  /** Something is still to come, though all runs seem over. */
  get catchingUp() {
    return false;
  }

  /** Called before each painting. */
  drive() {}

  /** Begin where nothing is there to play. */
  run() {}

  /**
   * Ask the server something about a lane.
   * @param {Lane} lane
   * @param {Record<string, any>} message
   */
  tell(lane, message) {
    void [lane, message];
  }

  // what is there

  /** @param {import("./store.js").Stage} stage */
  put(stage) {
    this.stage = stage;
  }

  get lanes() {
    return this.stage.lanes;
  }

  get live() {
    return this.lanes.filter((lane) => lane.source === "live" && lane.session);
  }

  get pace() {
    return /** @type {import("./playhead.js").Speed} */ (SPEEDS[this.speed]);
  }

  /** Whether nothing more will come by itself. */
  get over() {
    return this.lanes.every((lane) => lane.source !== "live" || lane.done || lane.failed !== "");
  }

  /** The lane of this number.
   * @param {number} number
   */
  lane(number) {
    return /** @type {Lane} */ (this.lanes[number]);
  }

  /** The moment that a lane shows.
   * @param {number} number
   */
  at(number) {
    return shown(this.lane(number), this.head);
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
    this.head = advanced(this.head, this.pace, elapsed, this.lanes);
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
    return this.head.following || this.head.at >= end(this.lanes, this.head.axis) - 1e-6;
  }

  toggle() {
    if (this.head.playing) return this.pause();
    if (this.lanes.every((lane) => lane.source === "empty")) return this.run();
    if (this.atTip && !this.over) return this.move({ playing: true, following: true });
    this.move({ playing: true, following: false, at: this.atTip ? 0 : this.head.at }); // what is over is played again
  }

  pause() {
    this.move({ playing: false, at: this.head.following ? end(this.lanes, this.head.axis) : this.head.at });
  }

  /** One pass back or on; beyond what is known, one pass is asked for.
   * @param {1 | -1} by
   */
  step(by) {
    if (by > 0 && this.atTip && !this.over) {
      this.move({ playing: false, following: true });
      for (const lane of this.live) if (!lane.done) this.tell(lane, { do: "step", passes: 1 });
    } else this.move({ playing: false, following: false, at: neighbour(this.lanes, this.head, by, this.looked) });
  }

  /** @param {number} to */
  seek(to) {
    const last = end(this.lanes, this.head.axis);
    const following = to >= last - 1e-6 && !this.over;
    this.move({ at: Math.min(to, last), following, playing: following && this.head.playing });
  }

  /** @param {number} index */
  setPace(index) {
    this.speed = index;
    this.head = onAxis(this.head, this.lanes, this.pace.axis);
    this.changed();
  }

  /** Show a moment of a lane.
   * @param {number} lane
   * @param {number} moment
   */
  jump(lane, moment) {
    const following = moment === this.lane(lane).moments.length - 1 && !this.over;
    this.move({ at: placeOf(this.lane(lane), moment, this.head.axis), following, playing: false });
  }
}
