/** What stage, map and curves look at together: lanes on a clock, and the hand; what is heard, and what is asked. */

import { around } from "./round.js";
import { changesOf, needsNewRun, opening, paired, reopening, sharedOf } from "./asking.js";
import { kinship } from "./card.js";
import { Clockwork } from "./clockwork.js";
import { Curiosity } from "./curiosity.js";
import { Driver } from "./driver.js";
import { spoken } from "./glyphs.js";
import { Hand } from "./hand.js";
import { pieceOf } from "./painter.js";
import { contents, staged } from "./recordings.js";
import { SPEEDS, comfortable } from "./playhead.js";
import { Line, address } from "./socket.js";
import { doneOf, messageOf } from "./steering.js";
import { emptyLane, reduce } from "./store.js";
import { NOTHING } from "./wire.js";

/** @typedef {import("./wire.js").Event} Event */
/** @typedef {import("./store.js").Lane} Lane */

const SETTLE = 250; // ms a slider must rest before a run that is over is started anew with it

class Instrument extends Clockwork {
  hand = new Hand();
  inspecting = false;
  /** @type {"open" | "lost" | "blocked"} */
  link = "open";
  notice = { text: "", refused: false };
  /** @type {import("./asking.js").Values} */
  values = {};
  /** @type {string[]} */
  names = [];
  /** @type {string[]} */
  models = [];
  /** @type {string[]} those that thought before a change that may be refused */
  before = [];
  /** @type {Set<string>} hashes of the weights that are open on the server */
  here = new Set();
  /** @type {Map<string, string>} the files that recordings were read from */
  files = new Map();
  /** @type {Record<string, any> | null} a model that is being opened */
  loading = null;
  /** @type {Set<object>} who wants the entropy of every cell with every pass */
  curious = new Set();

  ref = 0;
  opening = "";
  undoing = false;
  goesOn = false; // what a branch is to do once it is there
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  settling;
  /** @type {{lane: number, moments: number[], weights: string[], message: Record<string, any>} | null} a recording is being taken over */
  afterwards = null;

  constructor() {
    super();
    this.driver = new Driver((lane, message) => this.tell(lane, message));
    this.curiosity = new Curiosity(
      (lane, message) => this.tell(lane, message),
      () => this.changed(),
    );
    this.line = new Line(address(document.baseURI), {
      heard: (event) => this.hear(event),
      turned: (state) => this.turn(state),
      seen: () => this.live.map(({ session, token, n }) => ({ session, token, after: n, entropy: this.entropy })),
      round: around,
    });
  }

  /** The lane that a person looks at. */
  get looked() {
    return this.hand.lane;
  }

  /** A recording is being thought again, up to where it was touched. */
  get catchingUp() {
    return this.afterwards !== null;
  }

  /** The server's runs go on as the head does. */
  drive() {
    this.driver.wish(this.lanes, this.head.playing && this.head.following, this.pace);
  }

  /** @param {string} text */
  note(text, refused = false) {
    this.notice = { text, refused };
    this.changed();
  }

  // ── what is heard ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** @param {Event} event */
  hear(event) {
    const before = this.stage;
    this.put(reduce(before, event));
    switch (event.did) {
      case "opened":
        this.welcome(event, before);
        break;
      case "edited":
        this.hand.settle(event.ref ?? NOTHING);
        this.answer(event);
        break;
      case "snapshot":
        this.hand.settle(); // what was missed may hold the answers
        if (this.undoing) this.note("Undone: the run stands before the last edit.");
        this.undoing = false;
        break;
      case "refused":
        this.refused(event);
        break;
      case "peeked":
        this.curiosity.answered();
        break;
      case "loading":
        this.loading = event.id === this.opening ? event : this.loading;
        break;
      case "done":
        if (event.failed) this.note(event.failed, true);
    }
    this.caughtUp();
    if (event.did === "peeked") this.now();
    else this.changed();
  }

  /**
   * A session introduces itself: a run that was asked for, or a branch of one.
   * @param {Event} event
   * @param {import("./store.js").Stage} before
   */
  welcome(event, before) {
    if (event.head?.parent) {
      if (!before.lanes.some(({ session }) => session === event.head.parent)) return;
      this.undoing = false;
      this.note(forkedAt(event.head));
      this.move({ following: true, playing: this.goesOn });
      this.goesOn = false;
    } else if (event.id !== this.opening) {
      this.line.send({ do: "close", session: event.session }); // a later wish has overtaken it
    } else {
      this.loading = null;
      this.before = this.models;
      const { name, weights } = event.head?.model ?? {};
      if (weights) this.here.add(weights);
      const recorded = this.afterwards?.weights[event.lane];
      if (this.afterwards && recorded !== weights) this.startAnew(name);
      const passes = this.afterwards?.moments[event.lane] ?? 0;
      if (passes > 0) this.tell(this.lane(event.lane), { do: "step", passes });
    }
  }

  /** Say what became of an edit; after a fork, what that was for.
   * @param {Event} event
   */
  answer(event) {
    const lane = this.lanes.find(({ session }) => session === event.session);
    if (!lane || !event.edit) return;
    const done = doneOf(event.edit, (...tokens) => spoken(tokens.map((token) => pieceOf(lane, token)).join("")));
    const forked = lane.head.parent && event.at === lane.head.forked_at + 1;
    if (done) this.note(forked ? `${forkedAt(lane.head)} ${done}` : done);
  }

  /** A recording of other weights cannot be gone on with: the same passes would not come out.
   * @param {string} name of the model that is here
   */
  startAnew(name) {
    this.afterwards = null;
    this.hand.settle();
    this.note(
      `The recording was made by other weights than ${name} has here, so this is a new run of the same prompt.`,
    );
    this.move({ playing: true, following: true });
  }

  /** @param {Event} event */
  refused(event) {
    if (event.do === "peek") this.curiosity.answered();
    if (event.do === "pin") this.hand.settle(event.ref ?? undefined);
    if (["peek", "step", "pause", "play", "close"].includes(event.do)) return; // nobody asked for these in words
    const why = String(event.why);
    this.note(`${why.charAt(0).toUpperCase()}${why.slice(1)}${/[.!?]$/.test(why) ? "" : "."}`, true);
    if (event.do === "open") this.loading = null;
    if (event.do === "open" && this.before.length) this.models = this.before;
    if (event.do === "open") this.put({ lanes: this.lanes.map(emptyLane) });
    if (event.do === "open") this.move({ playing: false, following: false });
  }

  /** @param {"open" | "lost" | "blocked"} state */
  turn(state) {
    this.link = state;
    if (state === "open") this.driver.said.clear(); // the server paused what nobody watched
    this.curiosity.answered();
    this.changed();
  }

  /** A run that was recorded has been thought again up to where it was touched: now the touch. */
  caughtUp() {
    const wish = this.afterwards;
    if (!wish || this.lanes.some((lane, i) => !lane.session || lane.moments.length - 1 < (wish.moments[i] ?? 0)))
      return;
    this.afterwards = null;
    this.tell(this.lane(wish.lane), wish.message);
    this.move({ playing: true, following: true });
  }

  // ── what is asked ───────────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * @param {Lane} lane
   * @param {Record<string, any>} message
   */
  tell(lane, message) {
    this.line.send({ ...message, session: lane.session });
  }

  /** Start a run of one's own, with the values of the controls.
   * @param {unknown[]} [values]
   */
  run(values) {
    if (values) this.values = paired(this.names, values);
    this.hand.settle();
    this.open(opening(this.values, this.models, this.nonce()));
    this.move({ playing: true });
    dispatchEvent(new Event("unmask-run"));
  }

  nonce() {
    this.opening = `${Date.now().toString(36)}-${++this.ref}`;
    return this.opening;
  }

  /** @param {Record<string, any>} message */
  open(message) {
    clearTimeout(this.settling);
    for (const lane of this.live) this.tell(lane, { do: "close" });
    this.put({ lanes: this.lanes.map(() => ({ ...emptyLane(), source: /** @type {const} */ ("live") })) });
    this.afterwards = null;
    this.curiosity.answered();
    this.loading = null;
    this.note("");
    this.line.send({ ...message, entropy: this.entropy });
    this.move({ axis: this.pace.axis, at: 0, playing: false, following: true });
  }

  /**
   * An edit of a lane at the moment that is shown. A recorded run is taken over first.
   * @param {number} number
   * @param {Record<string, any>} message
   */
  edit(number, message) {
    const lane = this.lane(number);
    const at = this.at(number);
    const told = { ...message, ref: ++this.ref };
    this.note("");
    if (message.do === "pin") {
      const [cell, text] = [message.at ?? message.cells[0], message.text ?? pieceOf(lane, message.tokens[0])];
      this.hand.expect(told.ref, { lane: number, cell, text });
    }
    if (lane.source === "replay") return this.takeOver(number, told);
    const earlier = at < lane.moments.length - 1;
    this.tell(lane, earlier ? { ...told, at_moment: at } : told);
    this.goesOn = earlier || this.head.playing;
    if (earlier) this.move({ playing: false }); // until the branch is there
  }

  /**
   * @param {number} lane
   * @param {Record<string, any>} message
   */
  takeOver(lane, message) {
    const moments = this.lanes.map((_, number) => this.at(number));
    const weights = this.lanes.map(({ head }) => head.model?.weights);
    this.open(reopening(this.lanes, this.models, this.nonce()));
    this.afterwards = { lane, moments, weights, message };
    this.note("The model takes over from the recording.");
  }

  /** The controls have these values now.
   * @param {unknown[]} values
   */
  heard(values) {
    const before = this.values;
    this.values = paired(this.names, values);
    const changes = changesOf(before, this.values);
    if (!changes || needsNewRun(before, this.values)) return;
    clearTimeout(this.settling);
    if (this.live.length && !this.over) this.tune(changes);
    else if (this.lanes.some((lane) => lane.source !== "empty")) this.settling = setTimeout(() => this.run(), SETTLE);
  }

  /** Change settings of what runs: each lane takes what it understands.
   * @param {Record<string, unknown>} changes
   */
  tune(changes) {
    for (const lane of this.live) {
      const told = lane.head.causal ? sharedOf(changes) : changes;
      if (!lane.done && Object.keys(told).length) this.tell(lane, { do: "tune", changes: told, ref: ++this.ref });
    }
  }

  // ── the hand ────────────────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * @param {number} lane
   * @param {number} cell
   * @param {boolean} extend
   * @param {boolean} inspect
   */
  select(lane, cell, extend, inspect) {
    this.hand.select(lane, cell, extend);
    if (inspect) this.inspecting = true;
    this.now();
  }

  leave() {
    if (this.inspecting) this.inspecting = false;
    else this.hand.leave();
    this.changed();
  }

  /**
   * @param {number} lane
   * @param {number} cell
   */
  hover(lane, cell) {
    if (this.hand.hover(lane, cell)) this.changed();
  }

  /**
   * @param {import("./steer.js").Act} act
   * @param {string} text
   */
  steer(act, text) {
    const { lane: number, selected } = this.hand;
    const lane = this.lane(number);
    const at = this.at(number);
    const moment = lane.moments[at];
    if (!moment) return;
    if (act === "fork" || act === "undo") {
      const message = act === "fork" ? { do: "fork", at } : { do: "undo" };
      this.undoing = act === "undo";
      if (lane.source === "live") return this.tell(lane, message);
      return act === "fork"
        ? this.takeOver(number, message)
        : this.note("There is nothing to undo in a recording.", true);
    }
    const message = messageOf(act, moment, selected, text);
    if (typeof message === "string") this.note(message, true);
    else this.edit(number, message);
  }

  /** Use a candidate in the inspected cell.
   * @param {number} token
   */
  choose(token) {
    this.edit(this.hand.lane, { do: "pin", cells: [this.hand.cell], tokens: [token] });
  }

  /** Ask for what is not known of the inspected cell. */
  peek() {
    const { lane: number, cell } = this.hand;
    const lane = this.lane(number);
    if (this.inspecting && lane.source === "live" && lane.session && cell !== NOTHING)
      this.curiosity.wonder(lane, this.at(number), cell);
  }

  // ── models and recordings ───────────────────────────────────────────────────────────────────────────────────────────

  /** Let another model think in a lane, beginning with a new run.
   * @param {number} lane
   * @param {string} name
   */
  think(lane, name) {
    this.models = [0, 1].map((i) => (i === lane ? name : (this.models[i] ?? this.models[0] ?? name)));
    this.run();
  }

  /** What the server can open; null where it does not say.
   * @param {boolean} shelf also what could be fetched
   * @returns {Promise<Record<string, any> | null>}
   */
  async offers(shelf = false) {
    try {
      const answer = await fetch(new URL(shelf ? "menu?shelf=1" : "menu", document.baseURI));
      if (!answer.ok) return null;
      const told = await answer.json();
      for (const { weights } of Object.values(told.opened)) if (weights) this.here.add(weights);
      this.changed();
      return told;
    } catch {
      return null; // the line says that it is lost
    }
  }

  get entropy() {
    return this.curious.size > 0;
  }

  /** Whether every pass is to bring the entropy of every cell, as long as somebody looks at it.
   * @param {object} who
   * @param {boolean} wanted
   */
  wish(who, wanted) {
    const before = this.entropy;
    if (wanted) this.curious.add(who);
    else this.curious.delete(who);
    const { entropy } = this;
    if (entropy === before) return;
    for (const { session, token, n } of this.live) this.line.send({ do: "resume", session, token, after: n, entropy });
  }

  /**
   * Play recorded runs until somebody touches something.
   * @param {string[]} addresses
   */
  async replay(addresses) {
    const texts = await Promise.all(addresses.map(async (at) => (await fetch(new URL(at, document.baseURI))).text()));
    if (this.opening) return; // somebody was quicker
    this.show(texts);
  }

  /** Files that a person brought.
   * @param {File[]} files
   */
  async bring(files) {
    try {
      this.show(await contents(files));
      this.opening = ""; // whatever was asked for before is not waited for any more
      await this.offers();
      const card = this.lanes.find((lane) => lane.source === "replay" && this.files.has(lane.session))?.head.model;
      this.note(`This is a recording by ${card?.name ?? "an unnamed model"}; ${kinship(card, this.here)}.`);
    } catch (error) {
      this.note(error instanceof Error ? error.message : String(error), true);
    }
  }

  /** @param {string[]} texts of trace files */
  show(texts) {
    const { lanes, files } = staged(texts, this.lanes);
    for (const lane of this.live) this.tell(lane, { do: "close" });
    clearTimeout(this.settling);
    this.afterwards = null;
    this.hand.leave();
    this.inspecting = false;
    for (const [session, text] of files) this.files.set(session, text);
    for (const session of this.files.keys())
      if (!lanes.some((lane) => lane.session === session)) this.files.delete(session);
    this.put({ lanes });
    this.speed = SPEEDS.indexOf(comfortable(this.lanes));
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.move({ axis: "clock", at: 0, playing: !still, following: false });
  }
}

/** @param {Record<string, any>} head of a branch */
function forkedAt(head) {
  return `Forked at moment ${head.forked_at}: a new branch goes on from there.`;
}

export const unmask = new Instrument();
