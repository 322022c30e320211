// What the page makes of an old file, as a summary: the canvases are spelled as tests/contract/reading.py spells them.
import { sha256 } from "../../../assets/wire/digest.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { traceOf } from "../../../assets/wire/trace.js";

/** @typedef {import("../../../assets/wire/store.js").Side} Side */
/** @typedef {import("../../../assets/wire/timeline.js").Moment} Moment */

const LETTERS = "gopwy";

/** @param {string[]} lines */
const digest = (lines) => sha256(lines.join("\n")).slice(0, 16);

/** @param {Moment[]} moments */
export function canvases(moments) {
  return digest(
    moments.map(({ tokens, kinds, ids }) => {
      const letters = Array.from(kinds, (kind) => LETTERS[kind]).join("");
      return `${tokens.join()}|${letters}|${ids.join()}`;
    }),
  );
}

/** @param {Moment[]} moments */
function belief(moments) {
  return digest(
    moments.map(({ guess, sure, confidence, since, changes, erased, fresh }) => {
      const known = Array.from(confidence, (one) => one.toFixed(4));
      return [guess, sure, known, since, changes, erased, fresh].map((row) => row.join()).join("|");
    }),
  );
}

/** @param {Moment[]} moments */
function branch(moments) {
  const { passes = 0, cost = 0, open = 0 } = moments.at(-1) ?? {};
  return { moments: moments.length, canvases: canvases(moments), belief: belief(moments), passes, cost, open };
}

/** @param {Side} side */
export function sideSummary(side) {
  const names = [side.branch, ...side.branches.keys()].sort();
  const of = (/** @type {string} */ name) => branch(side.branches.get(name) ?? side.moments);
  return {
    on: side.branch,
    prompt: side.head.prompt ?? "",
    model: side.head.model?.name ?? "",
    pieces: digest([...side.pieces].sort(([a], [b]) => a - b).map(([token, piece]) => `${token}:${piece}`)),
    branches: Object.fromEntries(names.map((name) => [name, of(name)])),
  };
}

/** @param {string} text of a trace */
export function traceSummary(text) {
  return traceOf(text).map((events) => {
    const stage = events.reduce((now, event) => reduce(now, { ...event, session: "replay" }), { sides: [emptySide()] });
    return sideSummary(/** @type {Side} */ (stage.sides[0]));
  });
}

/** @param {any[]} messages of one connection */
export function messagesSummary(messages) {
  const { sides } = messages.reduce(reduce, { sides: [emptySide(), emptySide(), emptySide(), emptySide()] });
  return /** @type {Side[]} */ (sides)
    .filter((side) => side.session)
    .map((side) => {
      const { n, playing, done, heads, tree, measures, waiting, refused } = side;
      const peeks = [...side.peeks.keys()];
      const now = { n, playing, done, heads, measures, waiting, peeks, tree: tree.length };
      return { ...sideSummary(side), ...now, refused: refused?.why ?? "" };
    });
}
