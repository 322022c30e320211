/** How far a sweep has come, in a sentence. */

import { t } from "../../assets/looks/language.js";
import { span } from "./chart.js";

/** @typedef {Record<string, any>} Row */

/** How far a sweep has come.
 * @param {Row} row
 */
export function progress({ state, done, count, left, why, seconds }) {
  /** @type {Record<string, string>} */
  const ends = {
    stopped: t("Stopped; what is done is kept."),
    done: t("Done in {time}.", { time: span(seconds) }),
    failed: why,
  };
  const far =
    state === "running" && left != null
      ? t("{done} of {count} texts, about {time} left.", { done, count, time: span(left) })
      : t("{done} of {count} texts.", { done, count });
  return `${far} ${ends[state] ?? ""}`.trim();
}
