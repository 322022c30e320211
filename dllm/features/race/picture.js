/** Claims and your own races as pictures: one row a figure, a dot a claim, coloured by who measured it. Pure. */

import { t } from "../../assets/looks/language.js";

/** @typedef {Record<string, any>} Row */

/** A model's name in any order of its words: "Claude 4.5 Haiku" is "Claude Haiku 4.5".
 * @param {string} name
 */
export function plain(name) {
  const words = (name.split(" by ")[0] ?? "").toLowerCase().split(/[^a-z0-9.]+/);
  return words.filter(Boolean).sort().join(" ");
}

/** Who stands behind a claim, as a person would group them. */
export const KINDS = /** @type {[string, RegExp][]} */ ([
  ["its maker", /inception|the maker|google|openai|anthropic/i],
  ["a measuring site", /artificial analysis|benchlm/i],
  ["a price list", /vercel|openrouter|venice|tracker|api docs|opencode/i],
  ["an article or a customer", /.*/],
]);

/** @param {Row} claim */
export function kindOf(claim) {
  return KINDS.findIndex(([, pattern]) => pattern.test(claim.by));
}

/** The figures that can be drawn on one axis: those of one unit that more than one claim speaks of.
 * @param {Row[]} claims
 */
export function figures(claims) {
  /** @type {Map<string, Row[]>} */
  const units = new Map();
  for (const claim of claims) units.set(claim.unit, [...(units.get(claim.unit) ?? []), claim]);
  return [...units].filter(([, rows]) => rows.length > 1).map(([unit, rows]) => ({ unit, rows }));
}

/** One row of a picture: what is claimed, of whom.
 * @param {Row} claim
 */
export function rowOf(claim) {
  return `${claim.about}: ${claim.what}`;
}

/** Dots for Plotly: a trace for each kind of source, and one for your own races.
 * @param {Row[]} claims of one unit
 * @param {Row[]} table what was raced
 * @param {(name: string) => string} colour
 */
export function dots(claims, table, colour) {
  const traces = KINDS.map(([name], kind) => {
    const mine = claims.filter((claim) => kindOf(claim) === kind);
    const points = mine.flatMap((claim) => [claim.value].flat().map((value) => ({ value, claim })));
    return {
      name: t(name),
      x: points.map(({ value }) => value),
      y: points.map(({ claim }) => rowOf(claim)),
      text: points.map(({ claim }) =>
        [claim.by, claim.condition, claim.date || claim.seen].filter(Boolean).join(" · "),
      ),
      mode: "markers",
      type: "scatter",
      marker: { size: 11, color: colour(`kind-${kind}`), symbol: ["circle", "square", "triangle-up", "diamond"][kind] },
      hovertemplate: "%{x} %{text}<extra></extra>",
    };
  });
  /** @type {{x: number, y: string}[]} */
  const own = [];
  for (const claim of claims) {
    const raced = table.find((one) => plain(one.title) === plain(claim.about));
    const value = raced && claim.check && claim.check !== "verbosity" ? raced[claim.check] : null;
    if (Number.isFinite(value) && !own.some((one) => one.y === rowOf(claim))) own.push({ x: value, y: rowOf(claim) });
  }
  const mark = { size: 15, color: colour("own"), symbol: "star" };
  const yours = {
    name: t("your race"),
    x: own.map((o) => o.x),
    y: own.map((o) => o.y),
    mode: "markers",
    type: "scatter",
  };
  return [...traces, { ...yours, marker: mark, hovertemplate: `${t("%{x}, measured here")}<extra></extra>` }].filter(
    (trace) => trace.x.length,
  );
}

/** The rounds of a race: a dot a round and the spread between, for each racer.
 * @param {Row[]} table
 * @param {string} name of a figure
 * @param {(name: string) => string} colour
 */
export function rounds(table, name, colour) {
  return table
    .map((row, i) => ({ row, i, values: (row.rounds?.[name] ?? []).filter((/** @type {any} */ v) => v !== null) }))
    .filter(({ values }) => values.length > 1)
    .map(({ row, i, values }) => ({
      name: row.title,
      x: values,
      type: "box",
      orientation: "h",
      boxpoints: "all",
      pointpos: 0,
      jitter: 0.3,
      marker: { color: colour(`kind-${i % 4}`) },
      showlegend: false,
    }));
}
