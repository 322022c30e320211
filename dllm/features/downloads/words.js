/** What is said of a model in its row: what it needs, whether it fits, how far it is, what can be done. Pure. */

import { t } from "../../assets/looks/language.js";
import { shortName, size, stageSentence, time } from "../../assets/steer/book.js";

/** @typedef {import("./shelf.js").Row} Row */
/** @typedef {import("./shelf.js").Progress} Progress */
/** @typedef {[deed: import("./shelf.js").Deed | "use", word: string]} Choice */

const MEGABYTE = 1e6;
const CODE = /\b(python|function|code|program|script|def|class)\b/i;

/** Whether there is room for it, in a word.
 * @param {Pick<Row, "fits" | "tight">} row
 */
export function fitOf({ fits, tight }) {
  return fits ? (tight ? t("tight") : t("fits")) : t("does not fit");
}

/** A name as a person says it: without its owner, and without how it was made.
 * @param {string} name
 */
export function called(name) {
  return shortName(name).replace(/-diffusion-(\w+)-v[\d.]+$/, (_, kind) => (kind === "mdlm" ? "" : `, ${kind}`));
}

/** The models by what is wanted, those on this disk first; the rest is shown on request.
 * @param {Row[]} rows
 * @param {string} sought a part of a name, or of what it is good at
 * @param {boolean} all
 * @returns {{title: string, rows: Row[]}[]}
 */
export function groups(rows, sought, all) {
  const word = sought.trim().toLowerCase();
  const found = rows.filter(({ name, good }) => `${name} ${good}`.toLowerCase().includes(word));
  const here = found.filter((row) => onDisk(row));
  const away = found.filter((row) => !onDisk(row));
  const shown = all || word !== "";
  return [
    { title: "", rows: here },
    { title: t("Smallest that talks"), rows: away.filter(({ wanted }) => wanted === "smallest") },
    { title: t("Best that is fast here"), rows: away.filter(({ wanted }) => wanted === "best") },
    { title: t("Code"), rows: away.filter(({ wanted }) => wanted === "code") },
    { title: t("Others"), rows: shown ? away.filter(({ wanted }) => !wanted) : [] },
  ].filter((group) => group.rows.length);
}

/** Whether some of it is on this disk, or comes.
 * @param {Row} row
 */
export function onDisk({ here, state, stored }) {
  return here || state === "coming" || state === "open" || stored > MEGABYTE;
}

/** How far it is, as a sentence; empty where there is nothing to say.
 * @param {Row} row
 */
export function progress(row) {
  const { name, state, here, stored, download, fits, need } = row;
  if (state === "coming") return comes(row, name);
  if (state === "failed") return sentence(row.why ?? "");
  if (!fits && state !== "open") return t("It needs {size} of memory, more than is free here.", { size: size(need) });
  if (!here && state === "closed" && stored > MEGABYTE)
    return t("{done} of {total} MB are kept.", { done: megabytes(stored), total: megabytes(download) });
  return "";
}

/** What is on its way, and how fast.
 * @param {Progress} progress
 * @param {string} name
 */
export function comes({ stage, done = 0, total, left }, name) {
  if (stage) return stageSentence({ model: called(name), stage, done, total: total ?? 1 });
  if (!total) return t("Opening …");
  const far = { done: megabytes(done), total: megabytes(total) };
  if (!left) return t("{done} of {total} MB", far);
  const speed = ((total - done) / left / MEGABYTE).toFixed(1);
  return t("{done} of {total} MB, {speed} MB a second, {time} left", { ...far, speed, time: minutes(left) });
}

/** @param {number} bytes */
function megabytes(bytes) {
  return Math.round(bytes / MEGABYTE);
}

/** @param {number} seconds */
export function minutes(seconds) {
  if (seconds < 90) return t("{n} s", { n: Math.max(1, Math.ceil(seconds)) });
  return t("{n} min", { n: Math.round(seconds / 60) });
}

/** A reason as a sentence.
 * @param {string} why
 */
export function sentence(why) {
  const first = t(why);
  return first && `${first.charAt(0).toUpperCase()}${first.slice(1)}${/[.!?]$/.test(first) ? "" : "."}`;
}

/** What can be done about it, the first thing first.
 * @param {Row} row
 * @param {boolean} owner
 * @param {boolean} present it writes now
 * @returns {Choice[]}
 */
export function deeds({ state, here, fits, used, stored, download }, owner, present) {
  /** @type {Choice[]} */
  const made = [];
  const kept = stored > MEGABYTE;
  if (state === "coming") return owner ? [["cancel", t("Pause")]] : [];
  if (!present && (state === "open" || (here && fits))) made.push(["use", t("Open")]);
  else if (state === "failed") made.push(["open", t("Try again")]);
  else if (!here && fits) made.push(["open", kept ? t("Go on") : t("Get {size}", { size: size(download) })]);
  if (owner && state === "open" && !used && !present) made.push(["close", t("Close")]);
  if (owner && kept && !present) made.push(["delete", t("Delete")]);
  return made;
}

/** What a look takes here.
 * @param {number | null} seconds
 */
export function look(seconds) {
  return seconds === null ? "" : t("{time} a look", { time: time(seconds) });
}

/** The model to answer a prompt: one that is here, the larger first; else the smallest that there is room for.
 * @param {Row[]} rows
 * @param {string} prompt
 */
export function bestOf(rows, prompt) {
  const able = rows.filter(({ wanted, fits, state }) => wanted && (fits || state === "open"));
  const code = CODE.test(prompt);
  const value = (/** @type {Row} */ { wanted, here, state }) =>
    (here || state === "open" ? 8 : 0) +
    (state === "coming" ? 16 : 0) +
    ((wanted === "code") === code ? 4 : 0) +
    (wanted === (here ? "best" : "smallest") ? 2 : 0);
  return [...able].sort((one, other) => value(other) - value(one))[0];
}
