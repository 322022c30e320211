/** The points of the dial from careful to bold, by what was measured of the decoders. Pure. */

/** @typedef {import("../lab/measured.js").Point} Point */

// words for so many points
const WORDS = [["careful", "bold"], ["careful", "weighed", "bold"], ["careful", "weighed", "quick", "bold"]]; // prettier-ignore
const MOST = 4;

/**
 * A decoder is on the dial if none that takes as few looks writes as many texts without an error. Of more than four,
 * those stay that differ most from the next bolder one.
 * @param {Point[]} points
 * @returns {[label: string, name: string][]} none where there is nothing to choose between
 */
export function dialPoints(points) {
  /** @type {Point[]} from bold to careful */
  const front = [];
  for (const point of [...points].sort((a, b) => a.looks - b.looks || b.share - a.share))
    if (point.share > (front.at(-1)?.share ?? -1)) front.push(point);
  const gain = (/** @type {number} */ i) => (front[i]?.share ?? 0) - (front[i - 1]?.share ?? 0);
  while (front.length > MOST) {
    const between = Array.from({ length: front.length - 2 }, (_, i) => i + 1);
    front.splice(
      between.reduce((least, i) => (gain(i) < gain(least) ? i : least)),
      1,
    );
  }
  const words = WORDS.find(({ length }) => length === front.length) ?? [];
  return words.map((word, i) => [word, front.at(-1 - i)?.name ?? ""]);
}
