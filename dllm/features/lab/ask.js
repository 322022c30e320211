/** Speaks to the Lab's door. */

import { t } from "../../assets/looks/language.js";
import { here } from "../../assets/wire/here.js";

/** A message to the door, and its answer; a sentence where it was refused.
 * @param {string} path
 * @param {Record<string, unknown>} [body]
 * @returns {Promise<any>}
 */
export async function ask(path, body) {
  const url = here(path, document.baseURI);
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(url, body ? { method: "POST", headers, body: JSON.stringify(body) } : {});
  const row = await answer.json().catch(() => ({}));
  if (!answer.ok)
    throw new Error(row.why ?? row.error?.message ?? t("The server did not answer. Try again in a moment."));
  return row;
}
