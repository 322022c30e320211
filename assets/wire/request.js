/** From the values of the controls to a request: a run to open, or settings to change. Pure. */

import { editsOf } from "./edits.js";
import { constraintOf } from "./rule.js";

/** @typedef {Record<string, unknown>} Values */

const ABOUT_THE_RUN = new Set(["prompt", "length", "preset"]); // these need a new run
const SAME_TERMS = ["temperature", "heats", "top_k", "top_p", "end", "end_penalty", "end_after", "seed", "constraint", "checks", "check_when"]; // prettier-ignore

/**
 * Names and values, side by side, as one record.
 * @param {string[]} names
 * @param {unknown[]} values
 * @returns {Values}
 */
export function recordOf(names, values) {
  return Object.fromEntries(names.map((name, i) => [name, values[i]]));
}

/**
 * The settings that the controls speak of. `policy.knob` belongs to a policy and counts only while that one is chosen.
 * @param {Values} values
 */
export function settingsOf(values) {
  /** @type {Values} */
  const settings = {};
  /** @type {Values} */
  const options = {};
  for (const [name, value] of Object.entries(values)) {
    if (ABOUT_THE_RUN.has(name) || value === null || value === undefined) continue;
    if (name === "shares" && values.schedule !== "drawn") continue; // drawn, and put aside
    if (name === "rule") continue; // it belongs to the constraint
    if (name === "constraint") {
      settings.constraint = constraintOf(value, values.rule);
      continue;
    }
    if (name === "warmth" || (name === "heats" && !values.warmth)) continue;
    const [policy, knob] = name.split(".");
    if (!knob) settings[name] = value;
    else if (policy === values.policy) options[knob] = value;
  }
  if (values.warmth === false) settings.heats = []; // what was drawn before counts no more
  if (values.policy) settings.options = options;
  return settings;
}

/**
 * What differs, fit for a `tune`; null if it takes a new run, or nothing differs.
 * @param {Values} before
 * @param {Values} now
 */
export function changesOf(before, now) {
  const [was, is] = [settingsOf(before), settingsOf(now)];
  /** @type {Values} */
  const changes = {};
  for (const [name, value] of Object.entries(is)) {
    if (JSON.stringify(was[name]) !== JSON.stringify(value)) changes[name] = value;
  }
  return Object.keys(changes).length ? changes : null;
}

/**
 * Whether the change asks for another text, not another way of writing it.
 * @param {Values} before
 * @param {Values} now
 */
export function needsNewRun(before, now) {
  return ["prompt", "length"].some((name) => before[name] !== now[name]);
}

/**
 * What a causal model understands too.
 * @param {Values} settings
 * @returns {Values}
 */
export function sharedOf(settings) {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => SAME_TERMS.includes(name)));
}

/**
 * The message that opens both sides on the same terms.
 * @param {Values} values
 * @param {Values} settings that differ from the first side's decoder's
 * @param {string[]} models
 * @param {string} id
 * @param {string} [preset] the decoder of the second side, if there is one
 */
export function openRequest(values, settings, models, id, preset = "autoregressive") {
  const [first, second] = models;
  const beside = { model: second, preset, settings: sharedOf(settings) };
  return {
    do: "open",
    id,
    prompt: values.prompt ?? "",
    length: values.length,
    seed: settings.seed ?? 0,
    play: false,
    fit: true,
    sides: [{ model: first, preset: values.preset ?? null, settings }, ...(second ? [beside] : [])],
  };
}

/**
 * The message that opens both sides as their models' own cards decode; a prompt that the first cannot read is left out.
 * @param {Values} values
 * @param {string[]} models
 * @param {string} id
 */
export function ownRequest(values, models, id) {
  const { prompt = "", length, seed = 0 } = values;
  const [first, second] = models;
  const side = (/** @type {string | undefined} */ model) => ({ model, preset: null, settings: { seed } });
  const read = second ? [{ ...side(second), preset: "autoregressive" }] : [];
  const fitted = { fit: true, prompt_optional: true };
  return { do: "open", id, prompt, length, seed, play: false, ...fitted, sides: [side(first), ...read] };
}

/**
 * The same for a recorded pair that a person wants to take over at the moments that are shown, with the edits before
 * them. A side that was not recorded is begun as any run's.
 * @param {import("./store.js").Side[]} sides
 * @param {string[]} models
 * @param {string} id
 * @param {number[]} moments
 */
export function reopenRequest(sides, models, id, moments) {
  const first = sides.find(({ source }) => source !== "empty");
  const head = first?.head ?? {};
  const length = first?.moments[0]?.open ?? 1;
  return {
    do: "open",
    id,
    prompt: head.prompt ?? "",
    ...(head.own_from !== undefined && { own_from: head.own_from }),
    length,
    seed: head.settings?.seed ?? head.seed ?? 0,
    play: false,
    sides: sides.map((side, i) => {
      if (side.source === "empty")
        return { model: models[i] ?? models[0], preset: i ? "autoregressive" : null, settings: {} };
      const edits = editsOf(side, moments[i]);
      const settings = { ...side.head.settings };
      delete settings.noise; // the model's own
      const talk = side.head.talk && { talk: side.head.talk };
      return { model: models[i] ?? models[0], preset: null, settings, ...talk, ...(edits.length && { edits }) };
    }),
  };
}
