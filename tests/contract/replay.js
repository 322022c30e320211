// Reads a recording that Python made, replays it through the page's reducers, and prints every cell that differs.
import { readFileSync } from "node:fs";
import { staged } from "../../assets/wire/recordings.js";
import { emptySide, reduce } from "../../assets/wire/store.js";

/** @typedef {{tokens: number[], kinds: string, ids: number[]}} Expected */
/** @typedef {{after: number, session: string, canvases: Expected[]}} Check */
/** @typedef {{messages: any[], checks: Check[], trace: string, canvases: Expected[]}} Recording */

const LETTERS = "gopwy";
/** @type {Recording} */
const recording = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
/** @type {string[]} */
const wrong = [];
let cells = 0;

/**
 * @param {string} where
 * @param {import("../../assets/wire/timeline.js").Moment[]} moments
 * @param {Expected[]} expected
 */
function compare(where, moments, expected) {
  if (moments.length !== expected.length)
    wrong.push(`${where}: ${moments.length} moments, and Python has ${expected.length}`);
  expected.forEach(({ tokens, kinds, ids }, at) => {
    const moment = moments[at];
    if (!moment) return;
    const row = Array.from(moment.kinds, (kind) => LETTERS[kind]);
    if (moment.tokens.length !== tokens.length)
      wrong.push(`${where}, moment ${at}: ${moment.tokens.length} cells, and Python has ${tokens.length}`);
    tokens.forEach((token, cell) => {
      cells++;
      const here = `${moment.tokens[cell]} ${row[cell]} ${moment.ids[cell]}`;
      const there = `${token} ${kinds[cell]} ${ids[cell]}`;
      if (here !== there) wrong.push(`${where}, moment ${at}, cell ${cell}: ${here}, and Python has ${there}`);
    });
  });
}

let stage = { sides: [emptySide()] };
recording.messages.forEach((message, i) => {
  stage = reduce(stage, message);
  for (const { after, session, canvases } of recording.checks) {
    if (after !== i + 1) continue;
    const side = stage.sides.find((one) => one.session === session);
    compare(`after message ${after} (${message.did})`, side?.moments ?? [], canvases);
  }
});
const [side] = staged([recording.trace], [emptySide(), emptySide()]).sides.filter((one) => one.moments.length);
compare("the saved file", side?.moments ?? [], recording.canvases);
console.log(JSON.stringify({ cells, wrong: wrong.slice(0, 12) }));
