/** Recorded runs on the stage: which lane each belongs to, and the file it was read from. */

import { emptyLane, reduce } from "./store.js";
import { MOST_BYTES, traceOf } from "./trace.js";

/** @typedef {import("./store.js").Lane} Lane */
/** @typedef {import("./wire.js").Event} Event */

let made = 0;

/**
 * The lanes with these files on them. A lane that nothing was read for keeps a recording of the same prompt, and is empty
 * otherwise. Throws a sentence about a file that cannot be shown, before anything is changed.
 * @param {string[]} texts
 * @param {Lane[]} lanes
 * @returns {{lanes: Lane[], files: Map<string, string>}} the texts by the names of their sessions
 */
export function staged(texts, lanes) {
  const runs = texts.map((text) => ({ text, events: traceOf(text), session: `replay ${++made}` }));
  /** @type {Map<number, typeof runs[number]>} */
  const places = new Map();
  for (const run of runs) {
    const own = run.events[0]?.head?.causal ? 1 : 0;
    places.set(places.has(own) ? 1 - own : own, run);
  }
  const prompt = runs[0]?.events[0]?.head?.prompt;
  const next = lanes.map((lane, number) => {
    const run = places.get(number);
    if (!run) return lane.source === "replay" && lane.head.prompt === prompt ? lane : emptyLane();
    const { session, events } = run;
    const stage = events.reduce((now, event) => reduce(now, { ...event, lane: 0, session }), { lanes: [emptyLane()] });
    return { .../** @type {Lane} */ (stage.lanes[0]), source: /** @type {const} */ ("replay"), done: true };
  });
  return { lanes: next, files: new Map(runs.map(({ session, text }) => [session, text])) };
}

/**
 * The texts of files that a person brought, or a sentence.
 * @param {File[]} files
 */
export async function contents(files) {
  const large = files.find((file) => file.size > MOST_BYTES);
  if (large) throw new Error(`${large.name} is too large for a trace: ${MOST_BYTES >> 20} MB is the most.`);
  return Promise.all(files.slice(0, 2).map((file) => file.text()));
}

/**
 * Where the trace of a lane is found: the file it came from, or the server's door.
 * @param {Lane} lane
 * @param {Map<string, string>} files
 * @param {string} base the page's own address
 */
export function addressOf(lane, files, base) {
  const text = files.get(lane.session);
  if (text !== undefined) return URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
  if (lane.source !== "live" || !lane.token) return "";
  const url = new URL(`trace/${encodeURIComponent(lane.session)}`, base);
  url.searchParams.set("token", lane.token);
  const sign = new URL(base).searchParams.get("__sign"); // private Spaces
  if (sign) url.searchParams.set("__sign", sign);
  return url.href;
}
