// Reads runs that Python saved and prints what the page counts and says of each: works, tokens and sentence.
import { readFileSync } from "node:fs";
import { CHIPS, SIZES } from "../../assets/clock/figures.js";
import { worksOf } from "../../assets/clock/fed_tokens.js";
import { ModelledClock } from "../../assets/clock/machine.js";
import { passSeconds } from "../../assets/clock/pass_time.js";
import { modelledSentence } from "../../assets/clock/sentence.js";
import { costOf } from "../../assets/views/meters.js";
import { staged } from "../../assets/wire/recordings.js";
import { emptySide } from "../../assets/wire/store.js";

const { pairs = [], cases = [], works = [], chip, size, ...rest } = JSON.parse(
  readFileSync(process.argv[2] ?? "", "utf8"),
);
const machine = { chip: /** @type {any} */ (CHIPS[chip]), size: /** @type {any} */ (SIZES[size]), ...rest };

/** @param {string} text */
function run(text) {
  const side = staged([text], [emptySide(), emptySide()]).sides.find((one) => one.moments.length);
  if (!side) throw new Error("nothing was read");
  const works = worksOf(side).flatMap((work) => work ?? []);
  const { tokens } = costOf(side, side.moments.length - 1);
  const timed = new ModelledClock(machine).side(side);
  return { works, tokens, clock: costOf(timed, timed.moments.length - 1).clock };
}

const found = pairs.map((/** @type {string[]} */ [one = "", other = ""]) => {
  const [first, second] = [run(one), other ? run(other) : null];
  const says = modelledSentence(machine, first, second);
  return { ...first, says };
});
const seconds = cases.map((/** @type {any} */ { chip, size, ...rest }) => {
  const machine = /** @type {any} */ ({ chip: CHIPS[chip], size: SIZES[size], ...rest });
  return works.map((/** @type {any} */ work) => passSeconds(machine, work));
});
console.log(JSON.stringify({ found, seconds }));
