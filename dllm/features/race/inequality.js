/** What would have to be true for a claimed speed: at how many looks a model of a size can still reach it. Pure. */

import { BAND, CHIPS } from "../../assets/clock/figures.js";
import { passSeconds } from "../../assets/clock/pass_time.js";
import { t } from "../../assets/looks/language.js";

/** @typedef {{rate: number, tokens: number, canvas: number, billions: number, chip: string}} Claim */

/** The most looks with which a dense bf16 model can write at the claimed speed, at the efficiencies .3 and .9.
 * @param {Claim} claim
 * @returns {[number, number]} NaN where a number is missing
 */
export function mostLooks({ rate, tokens, canvas, billions, chip: name }) {
  const chip = CHIPS[name];
  if (!chip || ![rate, tokens, canvas, billions].every((n) => n > 0 && Number.isFinite(n))) return [NaN, NaN];
  const parameters = billions * 1e9;
  const size = { parameters, active: parameters, bytes: 2, experts: 1, chosen: 1, cached: 0 };
  const work = { forwards: 1, tokens: canvas, cached: 0 };
  const [low, high] = BAND.map((efficiency) => {
    const look = passSeconds({ chip, size, users: 1, efficiency, overhead: 0 }, work);
    return tokens / (rate * look);
  });
  return [low ?? NaN, high ?? NaN];
}

/** The same as a sentence.
 * @param {Claim} claim
 */
export function inequality(claim) {
  const [low, high] = mostLooks(claim);
  if (Number.isNaN(low)) return t("Give every number.");
  const { rate, tokens, canvas, billions, chip } = claim;
  const name = CHIPS[chip]?.name ?? chip;
  const wanted = { tokens, rate: rate.toLocaleString("en"), chip: name, billions, canvas };
  const task = t(
    "To write {tokens} tokens at {rate} tokens a second on one {chip}, a model of {billions} billion with a canvas of {canvas}",
    wanted,
  );
  if (high < 1) return t("{task} cannot be fast enough: a single look takes longer.", { task });
  const each = (/** @type {number} */ looks) => (tokens / looks).toFixed(1);
  const most = Math.floor(high);
  if (low < 1) return t("{task} may look at most {most} times, and only if the chip is used well.", { task, most });
  return t(
    "{task} may look at most {least} to {most} times: it must write {few} to {many} tokens a look. The fewer the parameters, the more looks it may take.",
    { task, least: Math.floor(low), most, few: each(high), many: each(low) },
  );
}
