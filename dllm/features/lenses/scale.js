/** Two scales of one probability: as the decoder reads it, and as the network gives it. Pure. */

import { t } from "../../assets/looks/language.js";

/** @typedef {import("../../assets/wire/store.js").Side} Side */

/** Whether the model's probabilities are calibrated before its decoder reads them.
 * @param {Side} side
 */
export function isCalibrated(side) {
  return (side.head.model?.calibration?.length ?? 0) > 0;
}

/**
 * An answer to `why`, `layers` or `candidates` on one of the scales.
 * @param {Record<string, any>} answer
 * @param {boolean} raw
 * @returns {Record<string, any>}
 */
export function onScale(answer, raw) {
  if (!raw || answer.raw === undefined) return answer;
  if (answer.did === "why") return { ...answer, ...answer.raw };
  return answer.did === "layers" ? { ...answer, share: answer.raw } : { ...answer, candidates: answer.raw };
}

/**
 * Which probabilities are shown, and what the other scale is called.
 * @param {boolean} calibrated
 * @param {boolean} raw
 */
export function scaleSentences(calibrated, raw) {
  if (raw)
    return {
      says: t("Probabilities are raw."),
      means: t("They are the network's own, as it gives them."),
      other: calibrated ? t("Show calibrated ones") : t("Show those under the rule"),
    };
  return calibrated
    ? {
        says: t("Probabilities are calibrated."),
        means: t("On texts of its kind, the model was right about as often as they say."),
        other: t("Show raw ones"),
      }
    : {
        says: t("Probabilities are not calibrated."),
        means: t("Nobody measured how often this model is right."),
        other: t("Show raw ones"),
      };
}
