/** Recorded runs on the stage: which side each belongs to, and the file it was read from. */

import { here } from "./here.js";
import { emptySide, reduce } from "./store.js";
import { MOST_BYTES, traceOf } from "./trace.js";

/** @typedef {import("./store.js").Side} Side */
/** @typedef {import("./canvas.js").Event} Event */

let made = 0;

/**
 * The sides with these files on them. A side that nothing was read for keeps a recording of the same prompt, and is empty
 * otherwise. Throws a sentence about a file that cannot be shown, before anything is changed.
 * @param {string[]} texts
 * @param {Side[]} sides
 * @returns {{sides: Side[], files: Map<string, string>}} the texts by the names of their sessions
 */
export function staged(texts, sides) {
  const runs = texts.flatMap((text) => traceOf(text).map((events) => ({ text, events, session: `replay ${++made}` })));
  /** @type {Map<number, typeof runs[number]>} */
  const places = new Map();
  for (const run of runs) {
    const own = run.events[0]?.head?.causal ? 1 : 0;
    places.set(places.has(own) ? 1 - own : own, run);
  }
  const prompt = runs[0]?.events[0]?.head?.prompt;
  const next = sides.map((side, number) => {
    const run = places.get(number);
    if (!run) return side.source === "replay" && side.head.prompt === prompt ? side : emptySide();
    const { session, events } = run;
    const stage = events.reduce((now, event) => reduce(now, { ...event, side: 0, session }), { sides: [emptySide()] });
    return { .../** @type {Side} */ (stage.sides[0]), source: /** @type {const} */ ("replay"), done: true };
  });
  return { sides: next, files: new Map(runs.map(({ session, text }) => [session, text])) };
}

/**
 * The texts of files that a person opened, or a sentence.
 * @param {File[]} files
 */
export async function contents(files) {
  const large = files.find((file) => file.size > MOST_BYTES);
  if (large) throw new Error(`${large.name} is too large for a trace: ${MOST_BYTES >> 20} MB is the most.`);
  return Promise.all(files.slice(0, 2).map((file) => file.text()));
}

/**
 * Where the trace of a side is found: the file it came from, or the server's door.
 * @param {Side} side
 * @param {Map<string, string>} files
 * @param {string} base the page's own address
 */
export function addressOf(side, files, base) {
  const text = files.get(side.session);
  if (text !== undefined) return URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
  if (side.source !== "live" || !side.keys.watch) return "";
  const url = here(`trace/${encodeURIComponent(side.session)}`, base);
  url.searchParams.set("key", side.keys.watch);
  return url.href;
}
