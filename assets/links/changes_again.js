/** The changes of a link, made again: the text is written without them first, and each time it has been seen, the next ones are made. */

import { editsOf } from "../wire/edits.js";

/** @typedef {import("./link.js").LinkedSide} LinkedSide */
/** @typedef {import("../stage/controller.js").Controller} Controller */
/** @typedef {{moment: number, edits: Record<string, any>[]}} Changes that were made at one moment */

const SEEN = 1600; // ms for which the text before a change is shown

/** Edits with their moments, as changes that were made together. Pure.
 * @param {LinkedSide["edits"]} edits
 * @returns {Changes[]}
 */
export function together(edits) {
  /** @type {Changes[]} */
  const groups = [];
  for (const [at, edit] of edits) {
    const last = groups[groups.length - 1];
    if (last && at === last.moment + last.edits.length + 1) last.edits.push(edit);
    else groups.push({ moment: at - 1, edits: [edit] });
  }
  return groups;
}

export class ChangesAgain {
  /**
   * @param {Controller} unmask
   * @param {LinkedSide[]} sides
   */
  constructor(unmask, sides) {
    this.unmask = unmask;
    this.ends = sides.map(({ at }) => at);
    this.left = sides.map(({ edits }) => together(edits));
    this.made = sides.map(() => 0);
  }

  over = 0; // when the text was finished; 0 while it is written

  /** Whether changes are still to be made. */
  get pending() {
    return this.left.some((groups) => groups.length > 0);
  }

  /** Make the next changes, if the text before them has been seen.
   * @param {number} now ms
   */
  show(now) {
    const { unmask } = this;
    const { sides, player, steering } = unmask;
    if (!this.pending) return;
    const written = unmask.over && !unmask.next && !steering.changing && !player.head.playing;
    if (!written) return void (this.over = 0);
    this.over ||= now;
    if (now - this.over < SEEN) return unmask.frames.redraw();
    this.over = 0;
    this.left.forEach((groups, number) => {
      const side = sides[number];
      const next = groups.shift();
      if (!side || !next) return;
      const other = editsOf(side).length !== this.made[number]; // a person has changed something meanwhile
      if (other || next.moment >= side.moments.length) return void (groups.length = 0);
      this.made[number] = (this.made[number] ?? 0) + next.edits.length;
      this.make(number, next);
    });
  }

  /** Make changes, and go on where the run of the link did.
   * @param {number} number
   * @param {Changes} changes
   */
  make(number, { moment, edits }) {
    const { branching, player, steering } = this.unmask;
    const side = this.unmask.side(number);
    const back = moment < side.moments.length - 1;
    const goesOn = moment + edits.length < (this.ends[number] ?? 0);
    const ref = this.unmask.nextRef(); // of the last: what it says is enough
    branching.goOnThen(back && goesOn);
    player.move(back ? { playing: false } : { following: true });
    if (back) this.unmask.machine.send("change", { ref, side: number, from: side.moments[moment]?.passes ?? 0 });
    else if (goesOn) steering.again = ref;
    edits.forEach((edit, i) => {
      const when = back && !i ? { at_moment: moment } : {};
      this.unmask.send(side, { ...edit, ...when, ...(i === edits.length - 1 && { ref }) });
    });
  }
}
