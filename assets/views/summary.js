/** What the sentence is about: both sides at a moment, and what a changed word has led to. */

import { t } from "../looks/language.js";
import { followedBy } from "./captions.js";
import { costOf } from "./meters.js";
import { nameOf } from "./names.js";
import { consequence, hasGaps, sentence } from "./sentence.js";

/** What the sentence needs to know of a side at a moment.
 * @param {import("../wire/store.js").Side} side
 * @param {number} number
 * @param {number} at
 * @returns {import("./sentence.js").Summary}
 */
export function summaryOf(side, number, at) {
  return {
    cost: costOf(side, at),
    absent: side.source === "empty",
    causal: nameOf(side, number) === t("One word after another"),
    gaps: hasGaps(side),
    remote: side.head.model?.family === "attach",
    title: side.title || side.head.decoder || "",
  };
}

/**
 * The sentence about both sides at these moments.
 * @param {import("../stage/controller.js").Controller} controller
 * @param {number[]} at
 * @param {boolean} over
 * @param {import("../stage/steering.js").Steering["change"]} change
 * @returns {import("./sentence.js").Sentence}
 */
export function sentenceOf(controller, at, over, change) {
  const [one, two] = controller.sides.map((side, i) => summaryOf(side, i, at[i] ?? 0));
  if (!one || !two) return { first: [], second: "" };
  if (change) {
    const many = over ? followed(controller, change).length : 0;
    return consequence(many, over, change.from, two.causal && !two.absent);
  }
  const begun = one.cost.passes > 0 || two.cost.passes > 0;
  const slowed = controller.player.pace.axis === "clock" && controller.player.pace.slow !== 1;
  return sentence([one, two], { begun, over, slowed, follows: controller.others.following });
}

/** The cells that came out differently after a person's word.
 * @param {import("../stage/controller.js").Controller} controller
 * @param {import("../stage/steering.js").Change} change
 */
export function followed(controller, { side: number, before }) {
  const side = controller.side(number);
  const after = side.moments[side.moments.length - 1];
  return after ? followedBy(before, after, side.head.ends ?? []) : [];
}
