// Writes docs/statechart.md from assets/stage/statechart.js: a table and a picture of each region. `make statechart`.
import { writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { STATECHART } from "../assets/stage/statechart.js";

export const FILE = fileURLToPath(import.meta.resolve("../docs/statechart.md"));

/** The arrows of a region: events that lead from one state to the same other are on one arrow.
 * @param {import("../assets/stage/statechart.js").Region} region
 */
function picture({ first, states }) {
  const lines = Object.entries(states).flatMap(([from, { on, after }]) => {
    const to = [...new Set(Object.values(on))];
    return to.map((state) => {
      const events = Object.keys(on).filter((event) => on[event] === state);
      const named = events.map((event) => (after?.[1] === event ? `${event} after ${after[0]} ms` : event));
      return `    ${from} --> ${state}: ${named.join(", ")}`;
    });
  });
  return ["```mermaid", "stateDiagram-v2", `    [*] --> ${first}`, ...lines, "```"].join("\n");
}

/** @param {[string, import("../assets/stage/statechart.js").Region]} region */
function section([name, region]) {
  const rows = Object.entries(region.states).map(
    ([state, { shows, allows, keeps = "" }]) => `| \`${state}\` | ${shows} | ${allows} | ${keeps} |`,
  );
  const reasons = typeof region.otherwise === "string" ? { "any other": region.otherwise } : region.otherwise;
  const nothing = Object.entries(reasons).map(([event, why]) => `- ${event}: ${why}.`);
  return [
    `## ${name}: ${region.about}`,
    picture(region),
    ["| state | shows | a person may | keeps |", "| --- | --- | --- | --- |", ...rows].join("\n"),
    `Events that a state does not list change nothing there:\n\n${nothing.join("\n")}`,
  ].join("\n\n");
}

export const text = `${[
  "# What a stage is doing",
  `Made from [statechart.js](../assets/stage/statechart.js) by \`make statechart\`. The ${Object.keys(STATECHART).length} regions hold at the same time.`,
  ...Object.entries(STATECHART).map(section),
].join("\n\n")}\n`;

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(FILE, text);
