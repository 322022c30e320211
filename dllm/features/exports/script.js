/** A run as a Python script, on the clipboard; as a file where the browser gives no clipboard. */

import { el } from "../../assets/looks/dom.js";
import { t } from "../../assets/looks/language.js";

/**
 * @param {string} text
 * @returns {Promise<string>} what became of it, in a sentence
 */
export async function taken(text) {
  try {
    await navigator.clipboard.writeText(text);
    return t("Copied: this run as a Python script for this engine.");
  } catch {
    // no clipboard without https, or the browser says no
    const href = URL.createObjectURL(new Blob([text], { type: "text/x-python" }));
    el("a", { href, download: "unmask-run.py" }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
    return t("Saved: this run as a Python script for this engine.");
  }
}
