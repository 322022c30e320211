/** Drawings of one stage: each is drawn again after something that it has read has changed, once a frame of the screen. */

import { effect } from "../vendor/signals-core.js";

const LONGEST = 250; // ms that a frame may take: a page that was out of sight does not jump

export class Frames {
  /** @param {(elapsed: number) => boolean} tick moves on what plays, before each frame; whether it goes on */
  constructor(tick) {
    this.tick = tick;
  }

  /** @type {Set<() => void>} */
  drawings = new Set();
  /** @type {Set<() => void>} those that have read what changed */
  stale = new Set();
  frame = 0;
  last = 0;

  /** Draw with the next frame, and again whenever something differs that was read.
   * @param {() => void} draw
   * @returns {() => void} to stop it
   */
  add(draw) {
    let stop = () => {};
    const drawing = () => {
      stop();
      let drawn = false;
      stop = effect(() => {
        if (drawn) return this.need(drawing); // reads nothing more until it is drawn again
        drawn = true;
        draw();
      });
    };
    this.drawings.add(drawing);
    this.need(drawing);
    return () => {
      stop();
      this.drawings.delete(drawing);
      this.stale.delete(drawing);
    };
  }

  /** @param {() => void} drawing */
  need(drawing) {
    this.stale.add(drawing);
    this.request();
  }

  /** Something that is no signal differs, as on the page itself: draw everything. */
  redraw() {
    for (const drawing of this.drawings) this.stale.add(drawing);
    this.request();
  }

  request() {
    if (!this.frame) this.frame = requestAnimationFrame((now) => this.run(now));
  }

  /** Draw at once: a person waits for it. */
  now() {
    cancelAnimationFrame(this.frame);
    this.run(performance.now());
  }

  /** @param {number} now */
  run(now) {
    this.frame = 0;
    const moves = this.tick(this.last ? Math.min(LONGEST, now - this.last) : 0);
    this.last = moves ? now : 0;
    for (const drawing of [...this.stale]) {
      this.stale.delete(drawing);
      try {
        drawing();
      } catch (error) {
        this.stale.add(drawing); // it is tried again with the next frame
        reportError(error);
      }
    }
    if (moves) this.request();
  }
}
