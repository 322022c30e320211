/** Runs of one's own: from the values of the controls to a request, examples and what follows them, changes meanwhile. */

import { changesOf, needsNewRun, ownRequest, recordOf, settingsOf } from "../wire/request.js";
import { DecoderValues } from "./decoder_values.js";
import { otherMode } from "./faster.js";
import { settingsBefore } from "./example_settings.js";
import { isOwn } from "./beside.js";
import { promptField, setField } from "../ask/fields.js";
import { cut } from "../ask/shapes.js";
import { reactive } from "../wire/reactive.js";
import { t } from "../looks/language.js";

/** @typedef {import("./controller.js").Controller} Controller */
/** @typedef {{name: string, slow: boolean, after: {text: string, changes: Record<string, unknown>} | null}} Example */
/** @typedef {{request: Record<string, any> & {id: string, sides: unknown[]}, showing: Example | null}} Pending */

const PLAIN = "llada"; // the decoder of a model whose card names none
const OF_THE_RUN = new Set(["seed", "noise", "bans", "boosts", "constraint"]); // settings that are no decoder's
export const WARM = "warm-"; // how the id of a request begins that opens models while the recording plays
const ANSWERS = new Set(["opened", "familiar", "refused"]); // to the request for a run

export class Runs {
  state = reactive({
    outside: "", // a prompt of a kind that the model does not know: a person decides
    /** what may be written instead of it, and the title of a kind that is written badly */
    instead: { offers: /** @type {import("../ask/offers.js").Offer[]} */ ([]), weak: "" },
    offering: /** @type {Example | null} */ (null), // the example that runs
    home: /** @type {string[]} */ ([]), // the models that the page opened with
    choice: kept(), // the models that answer a person's own prompts, in place of the pair
  });
  own = { text: "", from: 0 }; // a text of a person's own, with the letter from which on it is theirs
  /** @type {string[]} prompts that need no looking at */
  trusted = [];
  /** @type {Example | null} the example that is to be run */
  showing = null;
  /** @type {import("./example_settings.js").ExampleSettings | null} what the last example put into the controls, and what stood there before */
  exampleSettings = null;
  second = "autoregressive"; // the decoder of the second side
  secondTitle = "";
  decoders = new DecoderValues();
  aside = ""; // a prompt that the present model cannot read, kept for another

  /** @param {Controller} unmask */
  constructor(unmask) {
    this.unmask = unmask;
  }

  /** A prompt of a kind that the model does not know: a person decides. */
  get outside() {
    return this.state.outside;
  }

  get instead() {
    return this.state.instead;
  }

  /** The run that begins if the model knows prompts of its kind.
   * @returns {Pending | null}
   */
  get pending() {
    return this.unmask.machine.kept("prompt");
  }

  /** The models that the page opened with. */
  get home() {
    return this.state.home;
  }

  /** @param {string[]} models that the page opened with */
  livesWith(models) {
    this.state.home = models;
  }

  /** What the decoders put into the controls, and how the first model's authors decode.
   * @param {DecoderValues["table"]} table
   * @param {{preset?: string, settings?: Record<string, unknown>}} own
   */
  knows(table, { preset = "", settings = {} }) {
    this.decoders.table = table;
    this.decoders.authors = { model: this.home[0] ?? "", preset, settings };
  }

  /** The second side's decoder, and how it is called.
   * @param {string} preset
   * @param {string} title
   */
  decodeSecond(preset, title) {
    this.second = preset;
    this.secondTitle = title;
  }

  /** Prompts that need no looking at.
   * @param {string[]} prompts
   */
  trust(...prompts) {
    this.trusted.push(...prompts);
  }

  /** The models that answer a person's own prompts; none for the pair. */
  get choice() {
    return this.state.choice;
  }

  /** @param {string[]} models that answer a person's own prompts from now on, in this browser */
  choose(models) {
    this.state.choice = models;
    keep(models);
  }

  /** The pair answers again. */
  comeHome() {
    this.choose([]);
    this.unmask.giveUp();
    this.turnHome({ prompt: this.typed });
  }

  /** The pair has the stage's next run, with the controls as they were before.
   * @param {import("../wire/request.js").Values} [changes]
   */
  turnHome(changes) {
    this.unmask.setModels(this.home);
    if (!changes || !this.ofPair) return;
    this.unmask.setValues({ ...this.ofPair, ...changes });
    this.tell();
  }

  /** @type {import("../wire/request.js").Values | null} the controls as they were when another model came */
  ofPair = null;

  /** Whose run it is: a person's own prompt is for the model of their choice, and all others are for the pair.
   * @param {string} prompt
   * @param {boolean} own
   * @returns {boolean} whether another model is to be met
   */
  turn(prompt, own) {
    const { choice, home, unmask } = this;
    const [chosen] = choice;
    if (!chosen) return false;
    const there = unmask.models[0] === chosen;
    if (own && prompt.trim() && unmask.models[0] === home[0]) {
      unmask.answerWith(choice);
      return true;
    }
    if (!own && there) this.turnHome(this.showing ? undefined : { prompt, length: unmask.values.length });
    return false;
  }

  /** Another prompt is being written than the one that the model does not know. */
  forget() {
    this.state.outside = "";
  }

  /** A text of a person's own is about to be run.
   * @param {string} text
   * @param {number} from the letter from which on it is theirs
   */
  ownText(text, from) {
    this.own = { text, from };
  }

  /**
   * Start a run of one's own, with the values of the controls, if the model knows prompts of its kind: until the server
   * has opened it, what is shown stays.
   * @param {unknown[] | Record<string, unknown>} [values] all of the controls', or those that differ
   * @param {boolean} [anyway] also where the model does not know prompts of this kind
   */
  run(values, anyway = false) {
    const { machine } = this.unmask;
    machine.send("rest");
    if (Array.isArray(values)) this.unmask.setValues(recordOf(this.unmask.names, values));
    else if (values) this.unmask.setValues({ ...this.unmask.values, ...values });
    if (machine.in("card", "awaited")) return this.openAsCardSays(); // it is still being opened: how it decodes is not known yet
    const prompt = String(this.unmask.values.prompt ?? "");
    const stays = anyway && !this.showing;
    if (!stays && this.turn(prompt, !this.showing && !this.trusts(prompt))) return;
    const { showing } = this;
    this.showing = null;
    this.giveBack();
    if (!anyway && !prompt.trim() && isOwn(this.unmask.models[0], this.home)) return this.explainEmpty();
    const request = this.request(this.unmask.newId());
    if (anyway || this.trusts(prompt)) return this.begin({ request, showing }, true);
    const message = { ...request, if_familiar: true };
    machine.send("ask", { request: message, showing });
    this.unmask.note(t("Looking at the prompt …"));
    this.unmask.request(message);
  }

  /** The request for a run with the values of the controls.
   * @param {string} id
   */
  request(id) {
    const { values, models } = this.unmask;
    const own = this.own.text === values.prompt && { own_from: this.own.from };
    const request = { ...this.decoders.request(values, models, id, this.second), ...own };
    return this.unmask.talk?.added(request) ?? request;
  }

  /** Put a run in the place of what is shown.
   * @param {Pending} pending
   * @param {boolean} send whether its request was not sent yet
   */
  begin({ request, showing }, send) {
    this.state.outside = "";
    this.state.offering = showing;
    this.unmask.player.inSlowMotion(showing?.slow ?? false);
    this.unmask.selection.settle();
    this.unmask.open(request, send);
    dispatchEvent(new Event("unmask-run"));
  }

  /** The pending run is opened, or is not; while its models are still being opened, it stays pending.
   * @param {import("../wire/store.js").Event} event
   */
  answered(event) {
    const { pending } = this;
    if (!pending || pending.request.id !== event.id || !ANSWERS.has(event.did)) return;
    if (event.did === "opened") return this.begin(pending, false);
    this.unmask.machine.send("answered");
    if (event.did === "refused") return this.unmask.refused(event);
    this.state.instead = { offers: event.offers ?? [], weak: event.weak ?? "" };
    this.state.outside = String(pending.request.prompt);
    this.unmask.note(t("The earlier texts stay."));
  }

  /** Run a prompt that was offered instead of another.
   * @param {import("../ask/offers.js").Offer} offer
   */
  take({ prompt, length }) {
    setField("prompt", prompt);
    setField("length", length);
    this.run({ prompt, length }, true);
  }

  /** Explain an empty prompt, and offer to run it anyway. */
  explainEmpty() {
    const go = () => this.run(undefined, true);
    const why = t("Write how the text begins first, or let the model write something at random.");
    this.unmask.note(why, true, { text: t("Write something at random"), go });
  }

  /**
   * Start one of the examples: what is over in an instant plays in slow motion, and some have a sequel.
   * @param {Example} example
   * @param {unknown[]} values
   */
  example(example, values) {
    const now = recordOf(this.unmask.names, values);
    this.exampleSettings = { before: this.exampleSettings?.before ?? this.unmask.values, now };
    this.trusted.push(String(now.prompt ?? ""));
    this.showing = example;
    return this.run(values);
  }

  /** A prompt of one's own is not written as the example before it was, and the controls say so. */
  giveBack() {
    const values = this.exampleSettings && settingsBefore(this.exampleSettings, this.unmask.values);
    if (!values) return;
    this.exampleSettings = null;
    this.unmask.setValues(values);
    this.tell();
  }

  /** The controls show what is set. */
  tell() {
    const { prompt, length, seed, preset } = this.unmask.values;
    const changes = settingsOf(this.unmask.values);
    delete changes.constraint; // examples ask for none, so its control stands as it was
    const order = { prompt, length, seed, preset, model: this.unmask.models[0], changes };
    document.dispatchEvent(new CustomEvent("unmask-order", { detail: JSON.stringify(order) }));
  }

  /**
   * Another model begins as its own card says that it decodes, and the controls follow; one whose card says nothing
   * begins as the controls say.
   */
  openAsCardSays() {
    this.state.outside = "";
    this.showing = this.state.offering = null;
    this.unmask.player.inSlowMotion(false);
    this.unmask.selection.settle();
    const id = this.unmask.newId();
    this.unmask.open(ownRequest({ ...this.unmask.values, prompt: this.typed }, this.unmask.models, id));
    this.unmask.machine.send("openAsCardSays", { id });
    dispatchEvent(new Event("unmask-run"));
  }

  /** The prompt in its field; where that is empty, the one that the model before could not read. */
  get typed() {
    return (promptField()?.value ?? String(this.unmask.values.prompt ?? "")) || this.aside;
  }

  /** The model that was to be met is there: the controls say what it began with.
   * @param {import("../wire/store.js").Event} event
   */
  met(event) {
    const { machine } = this.unmask;
    if (event.id !== machine.kept("card")?.id || event.side !== 0) return;
    machine.send("cardRead");
    const { model = {}, prompt: begun = "" } = event.head ?? {};
    const { typed } = this;
    const { prompt = begun, length = this.unmask.values.length } = event.fitted ?? {};
    this.aside = prompt === "" ? typed : "";
    if (this.aside)
      this.unmask.note(
        t("{model} cannot read “{prompt}”, so it begins without a prompt.", {
          model: model.name,
          prompt: cut(this.aside.trim(), 40),
        }),
      );
    const decoders = Object.entries(event.head?.settings ?? {}).filter(([name]) => !OF_THE_RUN.has(name));
    const changes = Object.fromEntries(decoders);
    const { seed } = this.unmask.values;
    const { preset = PLAIN, settings = {} } = model.preset ?? {};
    this.decoders.authors = { model: this.unmask.models[0] ?? "", preset, settings };
    const order = { prompt, length, seed, model: this.unmask.models[0], preset, changes };
    document.dispatchEvent(new CustomEvent("unmask-order", { detail: JSON.stringify(order) }));
    const [first = ""] = this.unmask.models;
    if (!model.both || this.unmask.models.length > 1) return;
    this.unmask.setModels([first, first]); // the same weights write from left to right as well
    this.unmask.open(ownRequest({ ...this.unmask.values, prompt, length }, this.unmask.models, this.unmask.newId()));
  }

  /** A second side with a decoder of its own is called by it.
   * @param {import("../wire/store.js").Event} event
   */
  name(event) {
    if (event.side !== 1 || this.second === "autoregressive" || event.id !== this.unmask.opening) return;
    event.head = { ...event.head, decoder: this.secondTitle };
  }

  /** What may be tried after a run that is over. */
  sequel() {
    const { after } = this.state.offering ?? {};
    const side = this.unmask.side(0);
    if (!side.done || this.unmask.player.at(0) < side.moments.length - 1 || this.unmask.next) return null;
    if (!after && this.unmask.talk?.offer) return this.unmask.talk.offer;
    if (!after) {
      const places = this.unmask.sides.map((_, i) => this.unmask.player.at(i));
      const mode = otherMode(this.unmask, places);
      return mode && { text: mode.text, go: () => this.unmask.think(0, mode.model), quiet: true };
    }
    const go = () => {
      if (this.exampleSettings) this.exampleSettings.now = { ...this.exampleSettings.now, ...after.changes };
      for (const [name, value] of Object.entries(after.changes)) setField(name, Number(value));
      this.run(after.changes);
    };
    return { text: after.text, go };
  }

  /** Whether a prompt needs no looking at.
   * @param {string} prompt
   */
  trusts(prompt) {
    const trim = prompt.trim();
    return !trim || this.trusted.some((known) => known.trim() === trim);
  }

  /** Open the models while the recording plays, so that Run need not wait for them. */
  warm() {
    if (this.unmask.opening || this.unmask.going || !this.unmask.models.length) return;
    this.unmask.connection.send(this.request(`${WARM}${Date.now().toString(36)}`));
  }

  /** The controls say what runs already.
   * @param {unknown[]} values
   */
  known(values) {
    this.unmask.machine.send("rest");
    this.exampleSettings = null;
    this.unmask.setValues(recordOf(this.unmask.names, values));
    this.unmask.undo.began(this.unmask.values);
  }

  /** Another decoder is chosen.
   * @param {unknown[]} values of the controls
   * @returns {unknown[]} what they become
   */
  decode(values) {
    const { names, models } = this.unmask;
    const { preset } = this.unmask.values;
    const now = this.decoders.choose(preset, recordOf(names, values), models[0] ?? "");
    const filled = names.map((name) => now[name]);
    this.change(filled);
    return filled;
  }

  /** The controls have these values now.
   * @param {unknown[]} values
   */
  change(values) {
    const before = this.unmask.values;
    this.unmask.setValues(recordOf(this.unmask.names, values));
    const { preset } = this.unmask.values;
    const other = before.preset !== undefined && before.preset !== preset;
    if ((!other && !changesOf(before, this.unmask.values)) || needsNewRun(before, this.unmask.values)) return;
    this.unmask.machine.send("rest");
    if (this.unmask.live.length && !this.unmask.over) {
      this.tune(before);
      this.unmask.undo.began(this.unmask.values);
    } else if (this.unmask.sides.some((side) => side.source !== "empty")) this.unmask.machine.send("move");
  }

  /** Change settings of what runs.
   * @param {import("../wire/request.js").Values} before
   */
  tune(before) {
    const { live, values, models } = this.unmask;
    const [first, second] = this.decoders.tunes(before, values, models[0] ?? "");
    for (const side of live) {
      const message = side === this.unmask.side(0) ? first : second;
      const empty = !message.preset && !Object.keys(message.changes).length;
      if (!side.done && !empty) this.unmask.send(side, { do: "tune", ...message, ref: this.unmask.nextRef() });
    }
  }
}

const KEPT = "unmask-answers"; // in this browser: the models that answer a person's own prompts

/** @returns {string[]} */
function kept() {
  try {
    const models = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(models) ? models.filter((one) => typeof one === "string") : [];
  } catch {
    return []; // nothing is stored here
  }
}

/** @param {string[]} models */
function keep(models) {
  try {
    if (models.length) localStorage.setItem(KEPT, JSON.stringify(models));
    else localStorage.removeItem(KEPT);
  } catch {
    // it is not remembered
  }
}
