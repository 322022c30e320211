/** Recordings in a class: the presenter's page uploads what it shows, and the others fetch it. */

import { t } from "../../assets/looks/language.js";
import { here } from "../../assets/wire/here.js";

/** Upload a recording for the class.
 * @param {string} room
 * @param {string} key the presenter's
 * @param {string} text of a trace file
 * @returns {Promise<string>} its name
 */
export async function upload(room, key, text) {
  const url = here(`class/${room}/recordings`, document.baseURI);
  url.searchParams.set("key", key);
  const answer = await fetch(url, { method: "POST", body: text });
  return (await right(answer).json()).name;
}

/** A recording that the class sees.
 * @param {string} room
 * @param {string} name
 */
export async function recordingOf(room, name) {
  return right(await fetch(here(`class/${room}/recordings/${name}`, document.baseURI))).text();
}

/** @param {Response} answer */
function right(answer) {
  if (answer.ok) return answer;
  throw new Error(
    answer.status === 413 || answer.status === 400
      ? t("This recording is too large for the class. Run something, and the class sees that.")
      : t("The server does not answer."),
  );
}
