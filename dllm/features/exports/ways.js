/** Ways to take one side along, beside its numbers: as a Python script, and as a file. */

import { t } from "../../assets/looks/language.js";
import { addressOf } from "../../assets/wire/recordings.js";
import { taken } from "./script.js";

/** @typedef {import("../../assets/stage/controller.js").Controller} Controller */

/** @param {Controller} unmask
 * @returns {import("../../assets/looks/features.js").Ask[]}
 */
export function ways(unmask) {
  return [
    {
      text: t("Copy as Python"),
      title: t("This run as a script for the engine"),
      may: ({ source }) => source === "live",
      go: (number) => void copied(unmask, number),
    },
    {
      text: t("Save run"),
      title: t("Take this run away as a file; drop it on the page to replay it"),
      // its run has all branches where a side is one of them
      may: ({ source, moments, of, keys }) => source !== "empty" && moments.length > 0 && !of && !keys.left,
      // where it really leads is known when it is pressed; a recording of the page's own has no name there
      go: (number, link) =>
        Object.assign(link, { href: addressOf(unmask.side(number), unmask.recordings.files, document.baseURI) }),
      file: "run.trace.jsonl",
    },
  ];
}

/** Take the shown branch of a side along as a Python script.
 * @param {Controller} unmask
 * @param {number} number
 */
async function copied(unmask, number) {
  const { session, source } = unmask.side(number);
  const answer = source === "live" && session ? await unmask.questions.ask({ do: "script", session }) : null;
  if (answer?.did !== "script")
    return unmask.note(t("There is no run of yours here to copy yet: press Run first."), true);
  unmask.note(await taken(answer.text));
}
