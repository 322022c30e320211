/** The model whose speed is claimed most often: what is said of it, and by whom. Pure. */

import { t } from "../../assets/looks/language.js";

/** @typedef {Record<string, any>} Row */
/** @typedef {{about: string, unit: string, points: {value: number, by: string}[], most: number, says: string}} Speeds */

const UNIT = "tokens/s";

/**
 * @param {Row[]} claims
 * @returns {Speeds | null}
 */
export function claimedSpeeds(claims) {
  /** @type {Map<string, Speeds["points"]>} */
  const models = new Map();
  for (const { about, unit, value, by } of claims) {
    if (unit !== UNIT) continue;
    const values = [value].flat().map((one) => ({ value: Number(one), by: String(by) }));
    models.set(about, [...(models.get(about) ?? []), ...values]);
  }
  const [most] = [...models].sort(([, one], [, other]) => other.length - one.length);
  if (!most) return null;
  const [about, found] = most;
  const points = [...found].sort((one, other) => one.value - other.value);
  const says = points.map(({ value, by }) => `${by}: ${Math.round(value)}`).join("; ");
  return {
    about,
    unit: t("tokens a second"),
    points,
    most: Math.max(...points.map(({ value }) => value)) * 1.05,
    says: `${says.charAt(0).toUpperCase()}${says.slice(1)}.`,
  };
}
