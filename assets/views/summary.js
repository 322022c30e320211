/** What the sentence is about: both sides at a moment, and what a person's changes have led to. */

import { t } from "../looks/language.js";
import { changesOf, followed, textBefore, wordsIn } from "./changes.js";
import { costOf, textOf } from "./meters.js";
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
 * @returns {import("./sentence.js").Sentence}
 */
export function sentenceOf(controller, at, over) {
  const [one, two] = controller.sides.map((side, i) => summaryOf(side, i, at[i] ?? 0));
  if (!one || !two) return { first: [], second: "" };
  const { changing } = controller.steering;
  const number = changing?.side ?? changedSide(controller.sides, at);
  const side = number < 0 ? null : controller.side(number);
  if (side) {
    const changes = changesOf(side, at[number]);
    const newest = /** @type {import("../wire/timeline.js").Moment} */ (side.moments.at(-1));
    const words = changing ? 1 : changes.reduce((sum, { cells }) => sum + wordsIn(side, newest, cells), 0);
    return consequence({
      name: number ? nameOf(side, 1) : t("Diffusion"),
      side: number ? "second" : "first",
      words,
      followed: wordsIn(side, newest, followed(side)),
      over: over && !changing,
      from: changing?.from ?? side.moments[(changes.at(-1)?.at ?? 1) - 1]?.passes ?? 0,
      twin: !number && two.causal && !two.absent,
      yours: !controller.others.has(side.session) && !controller.recordings.linked,
    });
  }
  const begun = one.cost.passes > 0 || two.cost.passes > 0;
  const slowed = controller.player.pace.axis === "clock" && controller.player.pace.slow !== 1;
  const [text, other] = over ? controller.sides.map((side, i) => textOf(side, at[i] ?? 0)) : [];
  const same = Boolean(text) && text === other;
  return sentence([one, two], { begun, over, slowed, same, follows: controller.others.following });
}

/** The side whose run a person went back in and changed, by the moments that are shown; -1 for none.
 * @param {import("../wire/store.js").Side[]} sides
 * @param {number[]} at
 */
export function changedSide(sides, at) {
  return sides.findIndex((side, number) => {
    const before = textBefore(side);
    return before && changesOf(side, at[number]).length > 0;
  });
}
