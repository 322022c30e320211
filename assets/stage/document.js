/** The runs on one stage, as events and files tell them: those that are shown, and those that have no frame yet. */

import { emptySide, reduce } from "../wire/store.js";
import { reactive } from "../wire/reactive.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("../wire/store.js").Stage} Stage */

export class StageDocument {
  stages = reactive({
    shown: /** @type {Stage} */ ({ sides: [emptySide(), emptySide()] }),
    next: /** @type {Stage | null} */ (null),
  });

  get sides() {
    return this.stages.shown.sides;
  }

  /** A run that has begun and has no frame yet: what is shown stays until then. */
  get next() {
    return this.stages.next;
  }

  /** The sides of a run that is not shown yet. */
  get coming() {
    return (this.next?.sides ?? []).filter((side) => side.session);
  }

  get live() {
    return this.sides.filter((side) => side.source === "live" && side.session);
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

  /** @param {Side[]} sides to be shown */
  put(sides) {
    this.stages.shown = { sides };
  }

  /** @param {Side[] | null} sides of a run that has begun; none any more */
  expect(sides) {
    this.stages.next = sides && { sides };
  }

  /** @param {import("../wire/canvas.js").Event} event */
  apply(event) {
    const { next, shown } = this.stages;
    if (next) this.stages.next = reduce(next, event);
    else this.stages.shown = reduce(shown, event);
  }
}
