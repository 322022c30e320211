/** At which layer, and after which pass, the model knew a word: sentences and rows of a table. Pure. */

import { t } from "../../assets/looks/language.js";

const KNOWN = 0.5; // a layer knows a word that it gives more than half

/**
 * @typedef {{at: number[], share: (number | null)[][], best: string[][]}} Depth the answer to `layers`
 */

/**
 * When each layer first knew the word, in a sentence.
 * @param {Depth} depth
 * @param {string} word
 * @param {(moment: number) => number} passOf
 */
export function depthSentence({ at, share }, word, passOf) {
  const layers = (share[0]?.length ?? 1) - 1;
  const first = share.findIndex((row) => (row[layers] ?? 0) > KNOWN);
  if (first < 0) return t("No look gave {word} more than half.", { word });
  const row = share[first] ?? [];
  let layer = layers;
  while (layer > 0 && (row[layer - 1] ?? 0) > KNOWN) layer--;
  const pass = passOf(at[first] ?? 0);
  const when = pass
    ? t("After look {look} the model first gave {word} more than half.", { look: pass, word })
    : t("Before the first look the model gave {word} more than half.", { word });
  const where =
    layer >= layers
      ? t("Then only the last layer of {n} knew it.", { n: layers })
      : layer === layers - 1
        ? t("Then only the last two layers of {n} knew it.", { n: layers })
        : t("Then layers {from} to {n} knew it.", { from: layer, n: layers });
  return `${when} ${where}`;
}

/**
 * Rows from the last layer down to the words alone, one column for a moment.
 * @param {Depth} depth
 */
export function depthRows({ at, share, best }) {
  const layers = share[0]?.length ?? 0;
  return Array.from({ length: layers }, (_, i) => {
    const layer = layers - 1 - i;
    return {
      name: layer ? t("layer {n}", { n: layer }) : t("words alone"),
      cells: at.map((moment, column) => ({
        moment,
        share: share[column]?.[layer] ?? null,
        best: best[column]?.[layer] ?? "",
      })),
    };
  });
}
