/** What a picture shows: each side at a moment of its run, under its prompt, over the sentence of the page. */

import { faces, look, NO_HIGHLIGHT } from "../cells/face.js";
import { t } from "../looks/language.js";
import { nameOf } from "../views/names.js";
import { sentenceOf } from "../views/summary.js";
import { counted } from "../views/sentence.js";

/** @typedef {import("../wire/store.js").Side} Side */
/**
 * What stands on the stage.
 * @typedef {object} Stage
 * @property {Side[]} sides
 * @property {Side[]} timed the same, with the times that they play at
 * @property {Map<string, string>} files
 * @property {string[]} models
 * @property {(side: number) => number} at the moment that a side shows
 * @property {(at: number[], over: boolean) => import("../views/sentence.js").Sentence} sentence for these moments
 */
/** @typedef {{side: Side, number: number, at: number, ahead?: boolean}} Shown a side at a moment, with the guesses of its next pass? */

/** What stands on a controller's stage now.
 * @param {import("../stage/controller.js").Controller} controller
 * @returns {Stage}
 */
export function stageOf(controller) {
  const { sides, player, models, recordings } = controller;
  return {
    sides,
    timed: player.timed,
    models,
    files: recordings.files,
    at: (side) => controller.player.at(side),
    sentence: (at, over) => sentenceOf(controller, at, over),
  };
}

/** The sides that have something on them, at the moments they show.
 * @param {Stage} stage
 * @returns {Shown[]}
 */
export function filled({ sides, at }) {
  const found = sides.flatMap((side, number) => (side.moments.length ? [{ side, number, at: at(number) }] : []));
  if (!found.length) throw new Error(t("There is no run to take away yet."));
  return found;
}

/** What stands beside a side's name.
 * @param {Side} side
 * @param {number} at
 */
export function captionOf(side, at) {
  const moment = side.moments[at];
  if (!moment) return "";
  return moment.open === 0
    ? counted(moment.cost)
    : `${counted(moment.cost)} · ${t("{n} open", { n: String(moment.open) })}`;
}

/**
 * @param {Stage} stage
 * @param {Shown[]} shown
 * @param {boolean} over whether nothing comes after it
 * @returns {import("./drawing.js").Picture}
 */
export function sceneOf(stage, shown, over) {
  const ats = stage.sides.map((_, number) => shown.find((one) => one.number === number)?.at ?? 0);
  return {
    prompt: String(shown[0]?.side.head.prompt ?? ""),
    sides: shown.map(({ side, number, at, ahead }) => ({
      name: nameOf(side, number),
      caption: captionOf(side, at),
      causal: Boolean(side.head.causal),
      row: (ahead ? look(side, at, NO_HIGHLIGHT, null, true)?.row : undefined) ?? faces(side, at),
    })),
    sentence: stage.sentence(ats, over),
  };
}
