/** The traces of both sides as one file of format 2. Sealed only where each was whole: nobody vouches for the rest. Pure. */

import { sha256 } from "../../assets/wire/digest.js";
import { sealOf } from "../../assets/wire/trace.js";

/** @param {string[]} texts of trace files */
export function together(texts) {
  if (texts.length < 2) return texts[0] ?? "";
  /** @type {Record<string, any>[]} */
  const runs = [];
  /** @type {string[]} */
  const rows = [];
  for (const text of texts) {
    const [first = "{}", ...rest] = text.split("\n").filter((line) => line.trim());
    const head = JSON.parse(first);
    const before = runs.length;
    const { unmask, ...one } = head; // format 1 holds one run
    runs.push(...(unmask === 1 ? [one] : head.runs));
    for (const line of rest) {
      if (line.includes('"did":"sealed"')) continue;
      const row = JSON.parse(line);
      rows.push(before ? JSON.stringify({ ...row, run: (row.run ?? 0) + before }) : line);
    }
  }
  const content = `${[JSON.stringify({ unmask: 2, runs }), ...rows].join("\n")}\n`;
  const whole = texts.every((text) => sealOf(text) === "whole");
  return whole ? `${content}${JSON.stringify({ did: "sealed", sha256: sha256(content) })}\n` : content;
}
