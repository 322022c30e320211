/** Undo and redo on the page: the version before each change. The server undoes its own part of a live run. */

import { t } from "../looks/language.js";
import { reactive } from "../wire/reactive.js";
import { EDITS } from "../wire/legal.js";
import { settingsOf } from "../wire/request.js";
import { kept } from "./recordings.js";

/** @typedef {import("./controller.js").Controller} Controller */
/** @typedef {import("../wire/store.js").Side} Side */

/**
 * @typedef {object} Version what a person sees at one time
 * @property {Side[]} sides
 * @property {import("../clock/playhead.js").Playhead} head
 * @property {import("../wire/request.js").Values} values of the controls, with which it was run
 * @property {string[]} models
 *
 * @typedef {object} Act a change, and the version before it
 * @property {Version} version
 * @property {Map<string, number>} requests to each run that it changes, by session: the number, or 0
 * @property {string} does
 * @property {Set<string>} answered sessions that have carried it out
 */

const CHANGES = new Set([...Object.keys(EDITS), "fork", "revert", "switch"]);
const LIMIT = 200;

export class Undo {
  state = reactive({
    past: /** @type {Act[]} */ ([]),
    undone: /** @type {Act[]} */ ([]),
  });
  /** @type {import("../wire/request.js").Values} of the controls, with which the shown run was made */
  ran = {};

  /** @param {Controller} unmask */
  constructor(unmask) {
    this.unmask = unmask;
  }

  get past() {
    return this.state.past;
  }

  get undone() {
    return this.state.undone;
  }

  /** A run begins with these values of the controls, or the controls say what runs.
   * @param {import("../wire/request.js").Values} values
   */
  began(values) {
    this.ran = values;
  }

  /** @returns {Version} */
  get version() {
    const { sides, player, models } = this.unmask;
    const { head } = player;
    return { sides, head, models, values: this.ran };
  }

  /** A request is sent for a run: if it changes the run, the present version is kept.
   * @param {Side} side
   * @param {Record<string, any>} message
   */
  sent(side, message) {
    if (!CHANGES.has(message.do) || side.source !== "live") return;
    const latest = this.past[this.past.length - 1];
    const ref = message.ref ?? 0;
    const both = latest?.does === "tune" && message.do === "tune" && !latest.requests.has(side.session);
    if (both && latest.version.sides === this.unmask.sides && !latest.answered.size)
      latest.requests.set(side.session, ref);
    else this.keep(message.do, [[side.session, ref]]);
  }

  /** Another run, or a recording, is about to take the place of this one. */
  replaced() {
    if (this.unmask.sides.some(({ source }) => source !== "empty")) this.keep("run", []);
  }

  /**
   * @param {string} does
   * @param {[string, number][]} requests
   */
  keep(does, requests) {
    this.state.past = [
      ...this.past.slice(1 - LIMIT),
      { version: this.version, requests: new Map(requests), does, answered: new Set() },
    ];
    this.state.undone = [];
  }

  /** The server has carried out an edit. Settings that followed each other at once are one edit there, so they are one here.
   * @param {import("../wire/canvas.js").Event} event
   */
  edited({ session = "", ref }) {
    if (ref === undefined) return;
    const answers = this.past.filter(({ does, requests, answered }) => {
      const request = requests.get(session);
      if (!request || answered.has(session)) return false;
      return request === ref || (does === "tune" && request < ref);
    });
    answers.forEach((act, i) => (i ? this.without(act, session) : act.answered.add(session)));
  }

  /** The server has refused a change: there is nothing to undo of it.
   * @param {import("../wire/canvas.js").Event} event
   */
  refused(event) {
    const { session = "", ref } = event;
    if (event.do === "undo" || event.do === "redo") this.unmask.machine.send("restored");
    if (!CHANGES.has(String(event.do))) return;
    const act = this.past.findLast(
      ({ does, requests, answered }) =>
        !answered.has(session) && (ref === undefined ? does === event.do : requests.get(session) === ref),
    );
    if (act) this.without(act, session);
  }

  /**
   * @param {Act} act
   * @param {string} session
   */
  without(act, session) {
    act.requests.delete(session);
    if (!act.requests.size) this.state.past = this.past.filter((one) => one !== act);
  }

  back() {
    const act = this.past.at(-1);
    if (!act) return this.askServer();
    this.state.past = this.past.slice(0, -1);
    this.state.undone = [...this.undone, this.exchange(act, "undo")];
    const go = () => void this.forth();
    this.unmask.note(t("Undone."), false, { text: t("Redo"), go });
  }

  forth() {
    const act = this.undone.at(-1);
    if (!act) return this.unmask.note(t("There is nothing to redo."), true);
    this.state.undone = this.undone.slice(0, -1);
    this.state.past = [...this.past, this.exchange(act, "redo")];
    this.unmask.note(t("Done again."), false, { text: t("Undo"), go: () => this.back() });
  }

  /** A run that this page has not changed: others may have. */
  askServer() {
    const { unmask } = this;
    const side = unmask.side(unmask.selection.side);
    if (side.source === "live" && side.session) unmask.send(side, { do: "undo", exact: true });
    else unmask.note(t("There is nothing to undo."), true);
  }

  /**
   * Show what an act keeps, and keep the present version instead.
   * @param {Act} act
   * @param {"undo" | "redo"} way
   * @returns {Act}
   */
  exchange(act, way) {
    const { unmask } = this;
    const now = { ...act, version: this.version };
    const { version, requests } = act;
    this.drop();
    unmask.selection.settle();
    unmask.selection.leave();
    const live = new Map(unmask.live.map((side) => [side.session, side]));
    const stays = new Set(version.sides.map(({ session }) => session));
    for (const session of live.keys()) if (!stays.has(session)) unmask.connection.end(session);
    unmask.put(version.sides.map((side) => live.get(side.session) ?? kept(side)));
    const sides = unmask.live.filter(({ session }) => requests.has(session));
    if (sides.length) {
      unmask.machine.send("restore", { version, awaited: new Map(sides.map(({ session }) => [session, 2])) });
      unmask.player.move({ playing: false, following: true });
    } else unmask.player.move({ ...version.head, playing: false, hold: 0 });
    for (const side of sides) unmask.send(side, way === "undo" ? { do: way, exact: true } : { do: way });
    this.controls(version);
    return now;
  }

  /** A run that has not begun yet is given up. */
  drop() {
    const { unmask } = this;
    unmask.giveUp();
  }

  /** A run that has not begun yet is given up, and with it the change that led to it. */
  cancel() {
    this.drop();
    this.state.past = this.past.slice(0, -1);
  }

  /** The server has moved a run that is brought back: once with a snapshot, or to a moment that is shared and to the newest.
   * Then the moment is shown that was.
   * @param {import("../wire/canvas.js").Event} event
   */
  moved({ did, session = "" }) {
    const { machine, player } = this.unmask;
    const { awaited, version } = machine.kept("undo") ?? {};
    const left = awaited?.get(session);
    if (left === undefined) return;
    if (left > 1 && did === "moved") return void awaited.set(session, left - 1);
    awaited.delete(session);
    if (awaited.size) return;
    player.move({ ...version.head, playing: false, hold: 0 });
    machine.send("restored");
  }

  /** The controls show the settings of a version.
   * @param {Version} version
   */
  controls({ values, models }) {
    const { unmask } = this;
    unmask.setModels(models);
    const same = JSON.stringify(values) === JSON.stringify(unmask.values);
    unmask.setValues(values);
    this.began(values);
    if (same) return;
    const { prompt, length, seed, preset } = values;
    const changes = settingsOf(values);
    delete changes.constraint; // as with an example, its control keeps its text
    const order = { prompt, length, seed, preset, model: models[0], changes };
    document.dispatchEvent(new CustomEvent("unmask-order", { detail: JSON.stringify(order) }));
  }
}
