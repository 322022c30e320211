/** A lesson as steps (predict, play, check), its orders, and its replies with what was measured. Pure. */

/** @typedef {import("./lesson.js").Block} Block */
/** @typedef {{kind: "predict" | "play" | "check", blocks: Block[]}} Step */
/** @typedef {Record<string, any>} Measures of one run */
/** @typedef {import("./lesson.js").Order} Order */

const SHARES = new Set(["first", "typed", "chance"]); // shown in percent, as is `alike(RUN)`
const LONGEST = 140; // letters of a text in a reply

/**
 * The steps of a lesson. A text stands with the run beside it; else with what it leads to.
 * @param {Block[]} blocks
 * @returns {Step[]}
 */
export function stepsOf(blocks) {
  /** @type {Step[]} */
  const steps = [];
  /** @type {Block[]} */
  const waiting = [];
  for (const block of blocks) {
    const last = steps[steps.length - 1];
    if (block.kind === "text" && last?.kind !== "play") waiting.push(block);
    else if (block.kind === "text" || block.kind === "why") last?.blocks.push(block);
    else if (last?.kind === block.kind && block.kind === "play") last.blocks.push(...waiting.splice(0), block);
    else steps.push({ kind: block.kind, blocks: [...waiting.splice(0), block] });
  }
  steps[steps.length - 1]?.blocks.push(...waiting);
  return steps;
}

/** What a lesson asks first: in the list its claim would tell the answer.
 * @param {Block[]} blocks
 */
export function questionOf(blocks) {
  return blocks.find(({ question }) => question)?.question ?? "";
}

/**
 * A reply with its measures. A sentence with a measure that is not known is left out.
 * @param {string} reply
 * @param {Record<string, Measures>} known by run
 */
export function filled(reply, known) {
  const sentences = reply.split(/(?<=[.:;?!]) (?=[^a-z])/);
  return sentences
    .filter((sentence) =>
      [...sentence.matchAll(PLACE)].every(([, run, name]) => known[run ?? ""]?.[name ?? ""] != null),
    )
    .map((sentence) => sentence.replace(PLACE, (_, run, name) => worded(name, known[run]?.[name])))
    .join(" ");
}

/** A reply on paper, where nothing was played.
 * @param {string} reply
 */
export function onPaper(reply) {
  return reply.replace(PLACE, "…");
}

const PLACE = /\{(\w+)\.(\w+(?:\(\w+\))?)\}/g;

/**
 * A measure as it is read.
 * @param {string} name
 * @param {any} value
 */
function worded(name, value) {
  if (typeof value === "number") {
    const share = SHARES.has(name) || name.includes("(");
    return share ? `${Math.round(100 * value)} %` : String(Math.round(100 * value) / 100);
  }
  const text = String(value).trim().replace(/\s+/g, " ");
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).replace(/\s+\S*$/, "")} …`;
}

/**
 * An order with one of its numbers changed: its seed, its length, or a setting.
 * @param {Order} order
 * @param {Record<string, number>} values
 * @returns {Order}
 */
export function withValues(order, values) {
  /** @type {Order} */
  const made = { ...order, changes: { ...order.changes } };
  for (const [name, value] of Object.entries(values)) {
    if (name === "seed" || name === "length") made[name] = value;
    else if (name.startsWith("options.")) made.changes.options = { ...made.changes.options, [name.slice(8)]: value };
    else made.changes[name] = value;
  }
  return made;
}
