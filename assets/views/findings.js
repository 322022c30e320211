/** What the checks of a run found: at a moment, in a word, and all of it in a sentence. Pure. */

import { t } from "../looks/language.js";
import { NOTHING } from "../wire/canvas.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {{check: string, why: string, cells: number[], outcome: "reopened" | "stands" | "left" | "failed"}} Finding */

/** What a check found at this moment, as a slip says it; empty where none did.
 * @param {Side} side
 * @param {number} at
 */
export function findingAt(side, at) {
  const finding = findingOf(side.moments[at]);
  if (!finding || finding.outcome === "failed") return "";
  if (finding.outcome !== "reopened") return t("it stands: {why}", { why: finding.why });
  const times = findings(side, at).filter(({ check, why }) => check === finding.check && why === finding.why).length;
  return times > 1 ? t("{why}, for the {n}. time", { why: finding.why, n: times }) : finding.why;
}

/** What the checks found in the word of a cell, and what became of it.
 * @param {Side} side
 * @param {number} at
 * @param {number} cell
 */
export function findingIn(side, at, cell) {
  const moment = side.moments[at];
  const found = moment?.found?.get(moment.ids[cell] ?? NOTHING);
  if (!found) return "";
  return found.outcome === "reopened"
    ? t("Reopened: {why}.", { why: found.why })
    : t("It stands: {why}.", { why: found.why });
}

/** How often something was reopened, what stands, and why it ended; empty where no check reads along.
 * @param {Side} side
 * @param {number} at
 */
export function findingsSentence(side, at) {
  const rows = findings(side, at);
  const reads = settingsAt(side, at)?.checks?.length > 0;
  if (!rows.length) return reads ? t("The checks found nothing.") : "";
  const of = (/** @type {string} */ outcome) => rows.filter((row) => row.outcome === outcome);
  const reasons = (/** @type {Finding[]} */ some) => [...new Set(some.map(({ why }) => why))].join("; ");
  const [reopened, stands, left, failed] = [of("reopened"), of("stands"), of("left"), of("failed")];
  const parts = [];
  if (reopened.length)
    parts.push(
      [t("Reopened once."), t("Reopened twice.")][reopened.length - 1] ??
        t("Reopened {n} times.", { n: reopened.length }),
    );
  if (stands.length) parts.push(t("It stands: {why}.", { why: reasons(stands) }));
  if (left.length) parts.push(t("All rounds were used, so this stays: {why}.", { why: reasons(left) }));
  else if (reopened.length || stands.length) parts.push(t("Nothing else was found."));
  for (const { why } of failed) parts.push(t("{why}. The run goes on without it.", { why }));
  return parts.join(" ");
}

/** Where checks found something in a run, as small diamonds over its bars: full where it was reopened, empty where it
 * stands. Pure.
 * @param {Side} side
 * @param {ArrayLike<number>} row
 * @param {number} last
 * @param {boolean} stands
 * @param {number} wide units across the picture
 */
export function marksOnTrack(side, row, last, stands, wide) {
  return side.moments
    .flatMap(({ event }, m) => {
      const edit = event?.edit;
      if (!last || edit?.do !== "find" || edit.outcome === "failed" || (edit.outcome !== "reopened") !== stands)
        return [];
      return [`M${(((row[m] ?? 0) / last) * wide).toFixed(1)} 1.5l5 4l-5 4l-5 -4z`];
    })
    .join("");
}

/** What was found since a person's last edit.
 * @param {Side} side
 * @param {number} at
 * @returns {Finding[]}
 */
function findings(side, at) {
  const past = side.moments.slice(0, at + 1);
  const edited = past.findLastIndex(({ kind, event }) => kind === "edit" && !event?.edit?.own);
  return past.slice(edited + 1).flatMap((moment) => findingOf(moment) ?? []);
}

/** @param {import("../wire/timeline.js").Moment | undefined} moment
 * @returns {Finding | null}
 */
function findingOf(moment) {
  const edit = moment?.kind === "edit" ? moment.event?.edit : null;
  return edit?.do === "find" ? /** @type {Finding} */ (edit) : null;
}

/** @param {Side} side @param {number} at */
function settingsAt(side, at) {
  const tuned = side.moments.slice(0, at + 1).findLast(({ event }) => event?.settings);
  return tuned?.event?.settings ?? side.head.settings;
}
