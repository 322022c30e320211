/** Tells a screen reader what changed, in few words and not too often. */

import { say } from "../looks/dom.js";

const RARELY = 2500;

export class Announcer {
  /** @param {HTMLElement} region */
  constructor(region, now = () => performance.now()) {
    this.region = region;
    this.now = now;
    this.last = -RARELY;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** Say this at once: a person waits for it.
   * @param {string} text
   */
  announce(text) {
    clearTimeout(this.timer);
    this.last = this.now();
    say(this.region, text);
  }

  /** Say this when there has been quiet; only the newest is kept.
   * @param {string} text
   */
  mention(text) {
    clearTimeout(this.timer);
    const wait = RARELY - (this.now() - this.last);
    if (wait <= 0) this.announce(text);
    else this.timer = setTimeout(() => this.announce(text), wait);
  }
}
