/** Runs that somebody else drives, as in a class: which those are, and whether a person may leave them for a look around. */

import { reactive } from "../wire/reactive.js";

export class OthersRuns {
  state = reactive({ sessions: /** @type {Set<string>} */ (new Set()), following: false });
  touched = () => true; // a person moves the head: whether it may move

  /** Whether this person follows a class. */
  get following() {
    return this.state.following;
  }

  /** @param {boolean} on */
  join(on) {
    this.state.following = on;
  }

  /** @param {string[]} sessions */
  follow(sessions) {
    this.state.sessions = new Set(sessions);
  }

  /** @param {() => boolean} touched decides from now on */
  askBeforeMoving(touched) {
    this.touched = touched;
  }

  /** @param {string | undefined} session */
  has(session) {
    return this.state.sessions.has(session ?? "");
  }
}
