/** The pair's other mode, where it is worth a press: the fast one when the whole canvas was slower than the twin. Pure. */

import { t } from "../looks/language.js";
import { costOf } from "../views/meters.js";

/** @typedef {import("./controller.js").Controller} Controller */

const [CANVAS, TWIN, FAST] = ["denoiser", "twin", "fast"]; // `fast` is the twin's weights, drafting and verifying

/**
 * @param {Pick<Controller, "sides" | "models" | "faster">} unmask
 * @param {number[]} at the moments that the sides show
 * @returns {{text: string, model: string} | null} which model it is and what it is good for
 */
export function otherMode(unmask, at) {
  const { sides, models, faster } = unmask;
  if (!faster || models[1] !== TWIN || sides.some(({ source, done }) => source !== "live" || !done)) return null;
  if (models[0] === FAST) return { text: t("Let Diffusion write it again"), model: CANVAS };
  const [canvas = NaN, twin = NaN] = sides.map((side, i) => costOf(side, at[i] ?? 0).rate);
  return models[0] === CANVAS && canvas < twin
    ? { text: t("Try its twin with drafts: the twin's own text, in fewer looks"), model: FAST }
    : null;
}
