/** What each decoder puts into the controls, and what a person has set beside it. Pure. */

import { changesOf, openRequest, settingsOf, sharedOf } from "../wire/request.js";

/** @typedef {import("../wire/request.js").Values} Values */
/** @typedef {{values: Values, per_cell: boolean, governed: boolean}} Decoder the values that it puts into the controls;
 * whether it looks once for each token, and whether a schedule decides how much it writes */
/** @typedef {{changes: Values, preset?: string}} Tune */
/** @typedef {{model: string, preset: string, settings: Values}} Authors a model, and how its authors decode: some of it
 * no control says */

const ENDING = ["end", "end_penalty", "end_after"]; // of a model, whichever decoder is chosen
const OF_THE_TEXT = ["temperature", "top_k", "top_p", ...ENDING]; // what is set of these stays with another decoder

export class DecoderValues {
  /** @type {Record<string, Decoder>} */
  table = {};
  /** @type {Authors} of the present model */
  authors = { model: "", preset: "", settings: {} };
  /** @type {Map<unknown, Values>} what a person had set of each decoder when it was left, for one prompt */
  left = new Map();
  prompt = /** @type {unknown} */ ("");

  /** The values of a decoder; none of an unknown one.
   * @param {Values} values of the controls
   * @returns {Values}
   */
  given({ preset, length }) {
    const decoder = this.table[String(preset)];
    return decoder ? { ...decoder.values, ...(decoder.per_cell && { passes: length }) } : {};
  }

  /** What a decoder puts into the controls: its values, and what the model's authors set.
   * @param {Values} values
   * @param {string} model
   */
  standard(values, model) {
    const given = this.given(values);
    const { options = {}, ...own } = this.ofAuthors(values, model);
    if (model === this.authors.model) for (const name of ENDING) own[name] = this.authors.settings[name];
    for (const [knob, value] of Object.entries(options ?? {})) own[`${given.policy}.${knob}`] = value;
    return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, own[name] ?? value]));
  }

  /** What the authors of a model set of its own decoder.
   * @param {Values} values
   * @param {string} model
   * @returns {Values}
   */
  ofAuthors({ preset }, model) {
    return model === this.authors.model && preset === this.authors.preset ? this.authors.settings : {};
  }

  /** The settings that differ from the decoder's. Only these are sent to the side beside it: what a decoder itself sets,
   * such as a temperature, is not for another model.
   * @param {Values} values
   * @returns {Values}
   */
  changes(values) {
    const given = this.given(values);
    const decoder = settingsOf(Object.fromEntries(Object.keys(values).map((name) => [name, given[name]])));
    return different(settingsOf(values), decoder);
  }

  /** The message that opens both sides.
   * @param {Values} values
   * @param {string[]} models
   * @param {string} id
   * @param {string} second the decoder of the second side
   */
  request(values, models, id, second) {
    const request = openRequest(values, this.changes(values), models, id, second);
    const [first] = request.sides;
    if (first) first.settings = { ...this.ofAuthors(values, models[0] ?? ""), ...first.settings };
    return request;
  }

  /** What changes while a run goes: of the first side, and of the second what both have.
   * @param {Values} before
   * @param {Values} values
   * @param {string} model
   * @returns {[Tune, Tune]}
   */
  tunes(before, values, model) {
    // what is set no more is for the second side what its own decoder says
    const own = this.given({ preset: "autoregressive" });
    const shared = (/** @type {Values} */ row) => sharedOf({ ...own, ...this.changes(row) });
    const second = { changes: different(shared(values), shared(before)) };
    if (before.preset === undefined || before.preset === values.preset)
      return [{ changes: changesOf(before, values) ?? {} }, second];
    const set = Object.entries(this.changes(values)).filter(([name]) => name !== "seed" && name !== "constraint");
    const changes = { ...this.ofAuthors(values, model), ...Object.fromEntries(set) };
    return [{ changes, preset: String(values.preset) }, second];
  }

  /** The values of the controls once another decoder is chosen: its own, and what was set of it before. What is no
   * decoder's own stays as it was set.
   * @param {unknown} before the decoder that is left
   * @param {Values} values with the new one
   * @param {string} model
   * @returns {Values}
   */
  choose(before, values, model) {
    if (values.prompt !== this.prompt) this.left.clear();
    this.prompt = values.prompt;
    const standard = this.standard({ ...values, preset: before }, model);
    const was = Object.fromEntries(Object.keys(standard).map((name) => [name, values[name]]));
    const set = Object.entries(different(was, standard));
    const stays = set.filter(([name]) => OF_THE_TEXT.includes(name));
    if (values.schedule === "drawn" && this.table[String(values.preset)]?.governed) stays.push(["schedule", "drawn"]);
    this.left.set(before, Object.fromEntries(set.filter(([name]) => !OF_THE_TEXT.includes(name))));
    const own = { ...this.standard(values, model), ...this.left.get(values.preset) };
    return { ...values, ...own, ...Object.fromEntries(stays) };
  }
}

/** Those that are not the same in the other.
 * @param {Values} values
 * @param {Values} other
 * @returns {Values}
 */
function different(values, other) {
  const same = (/** @type {string} */ name) => JSON.stringify(values[name]) === JSON.stringify(other[name]);
  return Object.fromEntries(Object.entries(values).filter(([name]) => !same(name)));
}
