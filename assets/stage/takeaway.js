/** Both sides taken away as one page, which opens from disk and needs nothing else. */

import { el } from "../looks/dom.js";
import { addressOf } from "../wire/recordings.js";

/** @typedef {import("../wire/store.js").Side} Side */

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
 * @param {Side[]} sides
 * @param {Map<string, string>} files
 * @param {string} base
 */
async function made(sides, files, base) {
  const addresses = sides.filter((side) => side.moments.length > 1).map((side) => addressOf(side, files, base));
  const parts = [new URL("unmask/player.html", base).href, ...addresses.filter(Boolean)];
  const answers = await Promise.all(parts.map((part) => fetch(part)));
  if (answers.some((answer) => !answer.ok)) throw new Error("The run is not on the server any more.");
  const [page = "", ...texts] = await Promise.all(answers.map((answer) => answer.text()));
  if (!texts.length) throw new Error("There is no run to take away yet.");
  return filled(page, texts);
}

/**
 * A button that saves what stands on the stage.
 * @param {() => {sides: Side[], files: Map<string, string>}} stage
 * @param {(text: string) => void} note
 */
export function saveButton(stage, note) {
  const save = async () => {
    const { sides, files } = stage();
    try {
      const page = await made(sides, files, document.baseURI);
      const href = URL.createObjectURL(new Blob([page], { type: "text/html" }));
      el("a", { href, download: "unmask-run.html" }).click();
      setTimeout(() => URL.revokeObjectURL(href), 60_000);
    } catch (error) {
      note(error instanceof Error ? error.message : String(error));
    }
  };
  const title = "One file with both sides: it opens from disk and plays without a network";
  return el(
    "button",
    { type: "button", className: "save save-page", title, onclick: () => void save() },
    "Save as a page",
  );
}
