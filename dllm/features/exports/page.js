/** Both sides taken away as one page, which opens from disk and needs nothing else. */

import { addressOf } from "../../assets/wire/recordings.js";
import { t } from "../../assets/looks/language.js";

/** @typedef {import("../../assets/wire/store.js").Side} Side */

/**
 * The page with these runs in it. What stands in a script must not look like its end.
 * @param {string} page
 * @param {string[]} texts of trace files
 */
export function filled(page, texts) {
  const json = JSON.stringify(texts).replaceAll("<", "\\u003c");
  return page.replace(
    /(<script type="application\/json" id="runs">)\[\](<\/script>)/,
    (_, open, close) => open + json + close,
  );
}

/**
 * The page of what stands on the stage.
 * @param {Side[]} sides
 * @param {Map<string, string>} files
 * @param {string} base
 */
export async function pageOf(sides, files, base) {
  const answer = await fetch(new URL("unmask/player.html", base));
  if (!answer.ok) throw new Error(t("The server does not answer."));
  return filled(await answer.text(), await tracesOf(sides, files, base));
}

/**
 * The trace files of what stands on the stage.
 * @param {Side[]} sides
 * @param {Map<string, string>} files
 * @param {string} base
 */
export async function tracesOf(sides, files, base) {
  const addresses = sides.filter((side) => side.moments.length > 1).map((side) => addressOf(side, files, base));
  const answers = await Promise.all(addresses.filter(Boolean).map((at) => fetch(at)));
  if (answers.some((answer) => !answer.ok)) throw new Error(t("The run is not on the server any more."));
  if (!answers.length) throw new Error(t("There is no run to take away yet."));
  return Promise.all(answers.map((answer) => answer.text()));
}
