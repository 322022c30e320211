/** The small worlds on which *Beat the schedule* is played: their titles, cells, and the passes that are interesting. */

/** @type {Record<string, {title: string, cells: number, passes: number}>} */
export const WORLDS = {
  permutations: { title: "the numbers 1 to 4, each once", cells: 4, passes: 3 },
  "permutations:6": { title: "the numbers 1 to 6, each once", cells: 6, passes: 3 },
  sudoku4: { title: "a sudoku of 4 × 4", cells: 16, passes: 8 },
  balanced: { title: "eight brackets that close", cells: 8, passes: 4 },
};
