/** The marks that occur in a run, each on a word of its own and with how many there are. Pure. */

import { t } from "../looks/language.js";

/** @typedef {import("../cells/face.js").Face} Face */
/** @typedef {{look: string, face: Face, count: number}} Mark */

/** Kinds of marks: which words have it, and what it means; `n` of them. @type {{look: string, has: (face: Face, look: string) => boolean, says: () => string}[]} */
const KINDS = [
  {
    look: "unsure",
    has: ({ sure, open }, look) => !open && look.includes(" written") && sure !== "" && Number(sure) < 5,
    says: () => t("written at less than 50 %"),
  },
  {
    look: "forced",
    has: (_, look) => look.includes(" forced"),
    says: () => t("written because the plan was at its end, not because it was sure"),
  },
  {
    look: "changed",
    has: ({ ticks, open }) => !open && ticks !== "",
    says: () => t("took the place of another word: a tick for each change"),
  },
  { look: "doubted", has: (_, look) => look.includes(" doubted"), says: () => t("the model would now write another") },
  { look: "pinned", has: (_, look) => look.includes(" pinned"), says: () => t("pinned by you") },
  { look: "own", has: (_, look) => look.includes(" own"), says: () => t("your own text") },
  { look: "erased", has: (_, look) => look.includes(" erased"), says: () => t("erased by you, and open again") },
];

/**
 * The marks of a row of words.
 * @param {Face[]} row
 * @returns {Mark[]}
 */
export function marksOf(row) {
  return KINDS.flatMap(({ look, has }) => {
    const found = row.filter((face) => has(face, ` ${face.look} `) && (face.ink.trim() !== "" || look === "erased"));
    const [face] = found;
    return face ? [{ look, face, count: found.length }] : [];
  });
}

/** What a mark means.
 * @param {string} look
 */
export function meaningOf(look) {
  return KINDS.find((kind) => kind.look === look)?.says() ?? "";
}
