/** What the page says of itself, true in every state: loading, replay, live, waiting, lost, finished. Pure. */

import { t } from "../looks/language.js";
import { loadingSentence } from "../steer/card.js";
import { freshText } from "../views/meters.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {"open" | "lost" | "blocked"} Link */

/** Where a side's run comes from.
 * @param {Side} side
 */
export function badgeOf(side) {
  if (side.source === "replay") return t("replay");
  if (side.source !== "live") return "";
  return side.branches.size ? t("live · branch {name}", { name: side.branch }) : t("live");
}

/**
 * What a side does at the moment that is shown.
 * @param {Side} side
 * @param {number} at
 * @param {boolean} playing
 * @param {Link} link
 * @param {Record<string, any> | null} loading
 */
export function stateOf(side, at, playing, link, loading) {
  const newest = side.moments.length - 1;
  if (side.failed) return t("stopped");
  if (side.source === "live" && link !== "open") return t("connection lost, trying again");
  if (side.waiting) return t("waiting");
  if (side.source === "live" && newest < 0) return loading ? loadingSentence(loading) : t("opening …");
  if (newest < 0) return "";
  const last = side.moments[newest]?.passes ?? 0;
  const now = side.moments[at]?.passes ?? 0;
  if (at < newest && now < last) return t("look {now} of {last}", { now, last });
  if (at < newest) return t("before your last change"); // an edit is no pass
  if (side.done) return t("finished");
  return playing ? t("writing") : t("paused");
}

/**
 * What a run that is not shown yet waits for; empty where nothing is awaited.
 * @param {boolean} awaited
 * @param {boolean} begun its sides have answered
 * @param {Record<string, any> | null} loading
 * @param {string[]} models
 */
export function progressOf(awaited, begun, loading, models) {
  if (!awaited) return "";
  if (loading) return loadingSentence(loading);
  return begun
    ? t("The model is working on the first look …")
    : t("Opening {models} …", { models: models.join(t(" and ")) });
}

/** @param {Link} link */
export function linkNotice(link) {
  if (link === "lost") return t("The connection was lost; trying again. What you see stays.");
  if (link === "blocked")
    return t("Something between here and the server blocks live connections; trying another way.");
  return "";
}

/** In slow motion each pass is named.
 * @param {Side} side
 * @param {number} at
 */
export function passSentence(side, at) {
  const moment = side.moments[at];
  if (moment?.kind !== "pass") return "";
  const fresh = freshText(side, moment);
  const many = !fresh ? t("no token of the text") : fresh === 1 ? t("1 token") : t("{n} tokens at once", { n: fresh });
  const rest = moment.open ? t("{n} are still open", { n: moment.open }) : t("nothing is open any more");
  return t("In slow motion. Look {look}: {many}, {rest}.", { look: moment.passes, many, rest });
}

/** Where a branch begins, and what may be done then.
 * @param {Side} side
 * @param {number} at
 */
export function branchedAt(side, at) {
  const passes = side.moments[at]?.passes ?? 0;
  const where = passes ? t("Forked after look {look}.", { look: passes }) : t("Forked at the start.");
  return `${where} ${t("Press Play to go on from there, or change something first; the other branch stays.")}`;
}
