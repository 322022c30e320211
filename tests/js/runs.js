// Small runs for the tests: events as the engine writes them, made by hand.

/**
 * Numbers as the engine packs them.
 * @param {number[]} row
 * @param {number} width
 */
export function packed(row, width = 2) {
  const bytes = row.flatMap((value) =>
    Array.from({ length: width }, (_, k) => ((value < 0 ? 2 ** (8 * width) - 1 : value) >> (8 * k)) & 255),
  );
  return btoa(String.fromCharCode(...bytes));
}

export const PIECES = { 1: " one", 2: " two", 3: " three", 4: "ly", 5: ".\n", 9: "<end>" };

/**
 * @param {number} cells open behind a prompt of one cell
 * @param {Record<string, any>} [head]
 */
export function opened(cells = 4, head = {}) {
  return {
    did: "opened",
    session: "s",
    n: 1,
    side: 0,
    keys: { own: "o", steer: "s", watch: "w" },
    head: { width: 2, ends: [9], model: { name: "toy" }, ...head },
    canvas: { tokens: [1, ...Array(cells).fill(-1)], kinds: `g${"o".repeat(cells)}` },
    pieces: PIECES,
  };
}

/**
 * @param {number} at
 * @param {number[]} cells
 * @param {number[]} tokens
 * @param {Record<string, any>} [more]
 */
export function stepped(at, cells, tokens, more = {}) {
  return {
    did: "stepped",
    session: "s",
    n: at + 1,
    at,
    ms: [4, 1, 4 * at],
    step: at - 1,
    block: 0,
    turn: at - 1,
    quota: 1,
    cost: 1,
    open: 4 - cells.length,
    done: false,
    w: cells,
    t: tokens,
    c: cells.map(() => 0.75),
    why: [["rank {} of 4, quota 1", cells, cells.map((_, i) => i + 1)]],
    g: packed([-1, 2, 2, 3, 3]),
    s: packed([0, 204, 102, 51, 10], 1),
    ...more,
  };
}
