/** The edits of a run, as another run of the same order can be given them. Pure. */

/** @typedef {import("./store.js").Side} Side */
/** @typedef {Record<string, any>} Row */

const NEVER = ["noise"]; // the model's own

/**
 * Pairs of a moment and the edit that leads to it, up to a moment.
 * @param {Side} side
 * @param {number} [last]
 * @returns {[number, Row][]}
 */
export function editsOf({ head, moments }, last = moments.length - 1) {
  let now = /** @type {Row} */ (head.settings ?? {});
  /** @type {[number, Row][]} */
  const edits = [];
  moments.slice(0, last + 1).forEach(({ kind, event }, at) => {
    if (kind !== "edit" || !event || event.edit.own) return; // what the model wished for it will wish for again
    edits.push([at, slim(event.edit, now)]);
    if (event.edit.do === "tune") now = event.settings ?? { ...now, ...event.edit.changes };
  });
  return edits;
}

/**
 * An edit with what it really changes.
 * @param {Row} edit
 * @param {Row} now the settings before it
 * @returns {Row}
 */
function slim(edit, now) {
  if (edit.do !== "tune") return edit;
  const changes = differing(edit.changes, now, ["policy", "options"]);
  return { do: "tune", changes };
}

/**
 * @param {Row} settings
 * @param {Row} known
 * @param {string[]} always
 */
export function differing(settings, known, always) {
  const entries = Object.entries(settings).filter(
    ([name, value]) =>
      !NEVER.includes(name) && (always.includes(name) || JSON.stringify(value) !== JSON.stringify(known[name])),
  );
  return Object.fromEntries(entries);
}
