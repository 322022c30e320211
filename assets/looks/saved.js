/** A file that a person takes away. */

import { el } from "./dom.js";
import { t } from "./language.js";

/**
 * @param {string} name
 * @param {string} type
 * @param {BlobPart} content
 */
export function saved(name, type, content) {
  const href = URL.createObjectURL(new Blob([content], { type }));
  el("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
  return t("{name} is saved.", { name });
}
