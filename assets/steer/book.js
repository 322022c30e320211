/** What is said of a small model on the shelf: what a press costs, how far it is, what can be done. Pure. */

import { t } from "../looks/language.js";

/**
 * @typedef {{name: string, good: string, licence: string, billions: number, download: number, need: number,
 *   number: string, fits: boolean, here: boolean, seconds: number, state: "open" | "coming" | "closed" | "failed",
 *   used?: boolean, stage?: string, done?: number, total?: number, left?: number | null, why?: string}} Book
 */

/** A model's name without its owner or the folders above it.
 * @param {string} name
 */
export function shortName(name) {
  return name.split("?")[0]?.split("/").pop() || name;
}

/** Bytes as a person reads them.
 * @param {number} bytes
 */
export function size(bytes) {
  return bytes < 1e9 ? `${Math.max(1, Math.round(bytes / 1e6))} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** Seconds with no more digits than tell something.
 * @param {number} seconds
 */
export function time(seconds) {
  if (seconds < 0.095) return `${Math.max(1, Math.round(seconds * 1000))} ms`;
  return seconds < 9.5 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds)} s`;
}

/** What there is to know before one presses.
 * @param {Book} book
 */
export function facts({ billions, download, need, number, licence, seconds, here }) {
  return [
    t("{n} billion numbers", { n: billions }),
    here ? t("is on this machine") : t("{size} to download", { size: size(download) }),
    t("{size} of memory in {dtype}", { size: size(need), dtype: number }),
    licence,
    t("about {time} a look here", { time: time(seconds) }),
  ].join("\u00a0· "); // a line never begins with the dot
}

/** How far it is, as a sentence; empty where there is nothing to say.
 * @param {Book} book
 */
export function progress({ name, state, stage, done, total, left, why, used, fits, need }) {
  switch (state) {
    case "coming": {
      if (stage) return stageSentence({ model: name, stage, done: done ?? 0, total: total ?? 1 });
      if (!total) return t("Opening …");
      const far = { percent: Math.floor((100 * (done ?? 0)) / total), size: size(total) };
      return left
        ? t("{percent} % of {size}, about {time} left", { ...far, time: time(left) })
        : t("{percent} % of {size}", far);
    }
    case "open":
      return used ? t("Open, and a run uses it.") : t("Open. It makes room when another model needs it.");
    case "failed":
      return why ?? "";
    default:
      return fits ? "" : t("It needs {size} of memory, more than is free here.", { size: size(need) });
  }
}

/** What is done with a model whose files are here.
 * @param {{model: string, stage: string, done: number, total: number}} step
 */
export function stageSentence({ model: name, stage, done, total }) {
  const model = shortName(name);
  switch (stage) {
    case "reading":
      return t("Opening {model}: its files are read …", { model });
    case "converting":
      return t("Opening {model}: layer {done} of {total} is converted for this machine, once …", {
        model,
        done,
        total,
      });
    case "comparing":
      return t("Opening {model}: eight bits are compared with full precision …", { model });
    case "testing":
      return t("Opening {model}: self-test …", { model });
    default:
      return t("Opening {models} …", { models: model });
  }
}

/** What can be done about it: a verb of the door, or "use", and the word on the button.
 * @param {Book} book
 * @param {boolean} owner
 * @returns {[string, string][]}
 */
export function deeds({ state, here, fits, used }, owner) {
  switch (state) {
    case "coming":
      return owner ? [["cancel", t("Cancel")]] : [];
    case "open":
      return [
        ["use", t("Use it")],
        ...(owner && !used ? /** @type {[string, string][]} */ ([["close", t("Close")]]) : []),
      ];
    case "failed":
      return [["open", t("Try again")]];
    default:
      return fits ? [["open", here ? t("Open") : t("Fetch")]] : [];
  }
}
