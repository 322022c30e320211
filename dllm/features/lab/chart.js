/** From the points of a sweep to what Plotly draws. Pure. */

import { t } from "../../assets/looks/language.js";

/**
 * @typedef {object} Point
 * @property {string} decoder
 * @property {number} runs
 * @property {number} prompts
 * @property {number} texts different ones
 * @property {boolean} greedy it draws nothing: each prompt has one text
 * @property {number} tokens
 * @property {number} passes
 * @property {number} tokens_per_pass
 * @property {number} seconds
 * @property {Record<string, Ends | null>} values
 * @property {Record<string, Ends | null>} behind the difference to the best, by measure; not of the best itself
 * @property {string[]} best
 */

/** @typedef {[value: number, low: number | null, high: number | null]} Ends a value and its interval of 95 % */

/** @typedef {"passes" | "tokens_per_pass" | "seconds"} Across */

/** Short names of what is measured, for an axis.
 * @type {Record<string, string>}
 */
export const AXES = {
  right: "right texts",
  facts: "facts that hold",
  agrees: "same as one word a look",
  same: "same text as one word a look",
  surprise: "surprise of the twin, nats a token",
  repeated: "repeated",
  score: "your own score",
};

/** @type {Record<Across, string>} */
export const ACROSS = {
  passes: "looks (forwards of the model)",
  tokens_per_pass: "tokens a look",
  seconds: "seconds, modelled: looks × seconds of one look alone",
};

/** Those that may stand on one scale: in a world that can be counted, a greedy decoder has one text, be it right or wrong.
 * @param {Point[]} points
 * @param {boolean} counted
 */
export function comparable(points, counted) {
  return points.filter(({ greedy }) => !(counted && greedy));
}

const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "cross", "star", "hexagon", "triangle-down"];

/** The decoder of a point, without its setting.
 * @param {string} label
 */
export function family(label) {
  return label.split(", ")[0] ?? label;
}

/**
 * One trace a decoder, with error bars; the front as a line behind them.
 * @param {Point[]} points
 * @param {string} measure
 * @param {Across} across
 * @param {string[]} inks colours, used in turn
 * @param {number[] | null} ceiling what the best schedule of 1, 2, … passes reaches, where that is known
 */
export function traces(points, measure, across, inks, ceiling = null) {
  const known = points.filter((point) => point.values[measure]);
  const names = [...new Set(known.map(({ decoder }) => family(decoder)))];
  const front = known.filter(({ best }) => best.includes(measure)).sort((a, b) => a[across] - b[across]);
  const share = measure !== "surprise";
  return [
    {
      x: front.map((point) => point[across]),
      y: front.map((point) => point.values[measure]?.[0] ?? null),
      name: t("the front"),
      mode: "lines",
      line: { width: 6, color: "rgba(128,128,128,0.28)" },
      hoverinfo: "skip",
    },
    ...(ceiling && measure === "right" && across === "passes"
      ? [
          {
            x: ceiling.map((_, i) => i + 1),
            y: ceiling,
            name: t("the best of all schedules"),
            mode: "lines",
            line: { width: 2, dash: "dash", color: "rgba(128,128,128,0.9)" },
            hovertemplate: `${t("the best schedule: %{y:.0%} at %{x} looks")}<extra></extra>`,
          },
        ]
      : []),
    ...names.map((name, i) => {
      const some = known.filter(({ decoder }) => family(decoder) === name);
      const values = some.map((point) => /** @type {Ends} */ (point.values[measure]));
      const ink = inks[i % inks.length];
      return {
        x: some.map((point) => point[across]),
        y: values.map(([mean]) => mean),
        error_y: {
          type: "data",
          symmetric: false,
          array: values.map(([mean, , high]) => (high ?? mean) - mean),
          arrayminus: values.map(([mean, low]) => mean - (low ?? mean)),
          thickness: 1,
          width: 3,
        },
        name,
        customdata: some.map(({ decoder }) => decoder),
        mode: some.length > 1 ? "lines+markers" : "markers",
        line: { color: ink, width: 1, dash: "dot" },
        marker: {
          color: ink,
          size: 10,
          symbol: some.map(({ greedy }) => SYMBOLS[i % SYMBOLS.length] + (greedy ? "-open" : "")),
        },
        hovertemplate: `%{customdata}<br>${share ? "%{y:.0%}" : t("%{y:.2f} nats")} · %{x:.3~g}<extra></extra>`,
      };
    }),
  ];
}

/** Seconds as a person says them.
 * @param {number | null} seconds
 */
export function span(seconds) {
  if (seconds == null) return "";
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  return `${Math.round(seconds / 60)} min`;
}

/** What stands there when a lane has written this share of its answer.
 * @param {{shares: number[], first: (string | null)[], passes: [number, string | null][][]}} lane
 * @param {number} share
 */
export function upto(lane, share) {
  let pass = 0;
  while (pass < lane.passes.length && (lane.shares[pass + 1] ?? 1) <= share + 1e-9) pass++;
  const cells = [...lane.first];
  for (const changes of lane.passes.slice(0, pass)) for (const [cell, piece] of changes) cells[cell] = piece;
  const fresh = new Set((lane.passes[pass - 1] ?? []).map(([cell]) => cell));
  return { pass, cells, fresh };
}
