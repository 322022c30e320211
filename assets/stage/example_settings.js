/** Settings that an example puts into the controls, for its own prompt only. Pure. */

/** @typedef {import("../wire/request.js").Values} Values */
/** @typedef {{before: Values, now: Values}} ExampleSettings what the controls held, and what the example put there */

/**
 * What a prompt of one's own begins with after an example: what stood before it. Null for the example's own prompt, and
 * where a person has chosen something since.
 * @param {ExampleSettings} settings
 * @param {Values} values
 * @returns {Values | null}
 */
export function settingsBefore({ before, now }, values) {
  const chosen = Object.keys(now).filter((name) => JSON.stringify(values[name]) !== JSON.stringify(now[name]));
  return chosen.length === 1 && chosen[0] === "prompt" ? { ...before, prompt: values.prompt } : null;
}
