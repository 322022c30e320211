/** A model in a few words: its name, sizes, times, and how far its opening is. Pure. */

import { t } from "../looks/language.js";

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
