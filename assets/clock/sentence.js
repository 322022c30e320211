/** What another machine would take, as a sentence: as in `dllm/run/clock_sentence.py`, in the page's language. Pure. */

import { t } from "../looks/language.js";
import { sizeInWords } from "./machine.js";
import { passSeconds, runSeconds } from "./pass_time.js";

/** @typedef {import("./machine.js").Machine} Machine */
/** @typedef {import("./fed_tokens.js").Work} Work */
/** @typedef {{works: Work[], tokens: number}} Run what its passes computed, and the tokens that it wrote */

const SAME = 1.05; // a ratio of speeds below this is "about as fast"
const UNEQUAL = 1.25; // a ratio of tokens written above this is unequal work

/** Tokens a second for each user.
 * @param {Machine} machine
 * @param {Run} run
 */
export function speedOf(machine, { works, tokens }) {
  const seconds = runSeconds(machine, works);
  return seconds > 0 ? tokens / seconds : 0;
}

/** Seconds until the first pass is made, in which the prompt is read.
 * @param {Machine} machine
 * @param {Run} run
 */
export function firstPass(machine, { works: [first] }) {
  return first ? passSeconds(machine, first) : 0;
}

/** Whether two runs did the same work, so that their speeds can be compared.
 * @param {Run} run
 * @param {Run} twin
 */
export function comparable({ tokens: one }, { tokens: two }) {
  return Math.min(one, two) > 0 && Math.max(one, two) / Math.min(one, two) <= UNEQUAL;
}

/** In a few words, for the first view: which side would be faster.
 * @param {Machine} machine
 * @param {Run} run
 * @param {Run} twin
 * @param {[string, string]} names
 */
export function shortSentence(machine, run, twin, names) {
  if (!comparable(run, twin)) return "";
  const ratio = speedOf(machine, run) / speedOf(machine, twin);
  const { users } = machine;
  const values = { chip: machine.chip.name || t("accelerator"), users };
  if (Math.max(ratio, 1 / ratio) < SAME)
    return users > 1
      ? t("Modelled on one {chip} with {users} users, both are about as fast.", values)
      : t("Modelled on one {chip}, both are about as fast.", values);
  const faster = { ...values, name: names[ratio > 1 ? 0 : 1], ratio: figure(Math.max(ratio, 1 / ratio)) };
  return users > 1
    ? t("Modelled on one {chip} with {users} users, {name} is {ratio} × faster.", faster)
    : t("Modelled on one {chip}, {name} is {ratio} × faster.", faster);
}

/** The modelled half of the sentence about a run and its twin; empty where the work was unequal or nothing was written.
 * @param {Machine} machine
 * @param {Run} run
 * @param {Run | null} twin
 */
export function modelledSentence(machine, run, twin) {
  if (!run.tokens || (twin && !comparable(run, twin))) return "";
  const speed = speedOf(machine, run);
  const words = sizeText(machine);
  const reads = run.works.some((work) => work.byReader);
  const size = reads ? t("{size}, with another to proofread,", { size: words }) : words;
  const values = { size, times: times(run.works.length) };
  if (!twin) {
    const rate = figure(speed);
    const says = t("a model of {size} would look {times} and write {rate} tokens a second (modelled).", {
      ...values,
      rate,
    });
    return `${machineText(machine)}${says}`;
  }
  const other = speedOf(machine, twin);
  const written = Math.round((run.tokens / speed) * other);
  const tokens = written === 1 ? t("1 token") : t("{n} tokens", { n: written });
  const whole = !run.works.some((work) => work.cached || work.byReader);
  const looks = whole
    ? t("a model of {size} would look at the whole text {times} while the other writes {tokens}: ", {
        ...values,
        tokens,
      })
    : t("a model of {size} would look {times} while the other writes {tokens}: ", { ...values, tokens });
  return `${machineText(machine)}${looks}${ending(speed / other)}`;
}

/** @param {number} ratio */
function ending(ratio) {
  if (Math.max(ratio, 1 / ratio) < SAME) return t("about as fast (modelled).");
  if (ratio > 1) return t("{ratio} × faster (modelled).", { ratio: figure(ratio) });
  return t("{ratio} × slower (modelled).", { ratio: figure(1 / ratio) });
}

/** How a sentence about a machine begins.
 * @param {Machine} machine
 */
function machineText({ chip, users }) {
  const name = chip.name || t("accelerator");
  return users > 1
    ? t("On one {chip} with {users} users, ", { chip: name, users })
    : t("On one {chip}, ", { chip: name });
}

/** @param {Machine} machine */
function sizeText({ size }) {
  const [n, unit, active] = sizeInWords(size);
  const words = unit === "billion" ? t("{n} billion", { n }) : t("{n} million", { n });
  return active ? t("{words} ({active} active)", { words, active }) : words;
}

/** @param {number} count */
function times(count) {
  return count === 1 ? t("once") : t("{n} times", { n: count });
}

/** Two significant digits, and all digits of larger figures.
 * @param {number} value
 */
export function figure(value) {
  if (value >= 10) return Math.round(value).toLocaleString("en");
  return value >= 1 ? value.toFixed(1) : String(Number(value.toPrecision(2)));
}
