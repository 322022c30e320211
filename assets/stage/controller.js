/** What stage, map and curves share: both sides on one clock, the selection, events from the server, requests to it. */

import { fallback } from "../wire/fallback.js";
import { beside } from "./beside.js";
import { OthersRuns } from "./others_runs.js";
import { Player } from "./player.js";
import { Peeks } from "../views/peeks.js";
import { Branching } from "./branching.js";
import { Driver } from "./driver.js";
import { EntropyReaders } from "./entropy_readers.js";
import { Recordings } from "./recordings.js";
import { Runs } from "./runs.js";
import { Steering } from "./steering.js";
import { Undo } from "./undo.js";
import { Lenses } from "../lenses/lenses.js";
import { Selection } from "./selection.js";
import { ServerModels } from "./server_models.js";
import { Questions } from "../wire/questions.js";
import { Qualities } from "./quality.js";
import { Connection, address } from "../wire/connection.js";
import { recordOf } from "../wire/request.js";
import { emptySide, reduce } from "../wire/store.js";
import { NOTHING } from "../wire/canvas.js";

/** @typedef {import("../wire/canvas.js").Event} Event */
/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {{text: string, go: () => void}} Action */

export class Controller extends Player {
  selection = new Selection();
  inspecting = false;
  /** @type {"open" | "lost" | "blocked"} */
  link = "open";
  /** @type {{text: string, refused: boolean, action: Action | null}} the sentence in the dock, and what it offers */
  notice = { text: "", refused: false, action: null };
  /** @type {import("../wire/request.js").Values} of the controls */
  values = {};
  /** @type {string[]} of the controls, in their order */
  names = [];
  models = /** @type {string[]} */ ([]);
  /** @type {string[]} those that thought before a change that may be refused */
  before = [];
  /** @type {Record<string, any> | null} a model that is being opened */
  loading = null;
  /** @type {import("../wire/store.js").Stage | null} a run that has begun and has no frame yet: what stood stays until then */
  next = null;
  fits = NOTHING; // the side whose next words are looked at together
  met = false; // somebody has run or opened something: the greeting is over
  ref = 0; // of the last message that is answered by it
  opening = ""; // the request that is waited for
  ready = false; // the stage is set up
  /** @type {Set<(event: Event) => void>} who else hears what the server says */
  listeners = new Set();
  faster = false; // whether the pair's fast mode is served
  others = new OthersRuns();

  constructor() {
    super();
    this.entropyReaders = new EntropyReaders(this);
    this.server = new ServerModels(() => this.changed());
    this.runs = new Runs(this);
    this.steering = new Steering(this);
    this.undo = new Undo(this);
    this.branching = new Branching(this);
    this.recordings = new Recordings(this);
    this.questions = new Questions((message) => this.connection.send(message));
    this.qualities = new Qualities(
      (message) => this.questions.ask(message),
      () => this.changed(),
    );
    this.lenses = new Lenses(
      (message, patience) => this.questions.ask(message, patience),
      () => this.changed(),
    );
    this.driver = new Driver((side, message) => this.send(side, message));
    this.peeks = new Peeks(
      (side, message) => this.connection.send({ ...message, session: side.of || side.session }),
      () => this.changed(),
    );
    this.connection = new Connection(address(document.baseURI), {
      onEvent: (event) => this.receive(event),
      onState: (state) => this.onLink(state),
      resumes: () =>
        [...this.live, ...this.coming]
          .filter(({ keys }) => keys.own)
          .map(({ session, keys, n }) => ({
            session,
            key: keys.own ?? "",
            after: n,
            entropy: this.entropyReaders.wanted,
          })),
      fallback,
    });
  }

  /** @param {{names: string[], values: unknown[], models: string[], faster: boolean}} page what it opens with */
  setUp({ names, values, models, faster }) {
    this.names = names;
    this.values = recordOf(names, values);
    this.undo.began(this.values);
    const [first = "", second = first] = models;
    this.models = first ? [first, second] : []; // a host's only model stands beside itself, from left to right
    this.runs.livesWith(this.models);
    this.faster = faster;
    this.ready = true;
  }

  /** @param {import("../wire/request.js").Values} values of the controls: a run that is opened begins with them */
  setValues(values) {
    this.values = values;
  }

  /** @param {string[]} models */
  setModels(models) {
    this.models = models;
  }

  /** @param {string} id the request that is waited for: no recorded first view comes before it */
  waitFor(id) {
    this.opening = id;
  }

  /** Somebody has run or opened something. */
  meet() {
    this.met = true;
  }

  /** A run that has not begun is given up. */
  giveUp() {
    this.next = null;
    this.steering.drop();
  }

  /** The side that a person looks at. */
  get looked() {
    return this.selection.side;
  }

  /** A recording is being thought again, up to where it was touched. */
  get catchingUp() {
    return this.steering.takeover !== null;
  }

  /** The sides of a run that is not shown yet. */
  get coming() {
    return (this.next?.sides ?? []).filter((side) => side.session);
  }

  /** The server's runs go on as the head does; a run that is not shown yet is under way to its first frame. */
  drive() {
    const own = this.sides.filter(({ session }) => !this.others.has(session));
    this.driver.update(own, this.head.playing && this.head.following, this.pace);
    if (!this.steering.takeover) this.driver.update(this.coming, true, this.pace);
  }

  touched() {
    return this.others.touched();
  }

  /** The runs of a class on the stage.
   * @param {import("../wire/store.js").Stage} stage
   */
  attend(stage) {
    this.giveUp();
    this.put(stage);
    this.changed();
  }

  pause() {
    if (this.next) this.put(this.next); // who pauses before the first frame gets the run as it stands
    if (this.next) this.move({ axis: this.pace.axis, at: 0, following: true });
    this.next = null;
    super.pause();
  }

  /**
   * @param {string} text
   * @param {boolean} [refused]
   * @param {Action | null} [action] what a person may want next
   */
  note(text, refused = false, action = null) {
    this.notice = { text, refused, action };
    this.changed();
  }

  /** @param {Event} event */
  receive(event) {
    for (const listener of this.listeners) listener(event);
    const answers = event.id !== undefined && this.questions.hear(event);
    if (event.did === "familiar" || event.did === "judged" || (answers && event.did === "refused")) return;
    if (event.did === "opened" && event.id !== this.opening) return this.decline(event);
    const heads = this.sides.find(({ session }) => session === event.session)?.heads ?? {};
    if (event.did === "opened") this.runs.name(event);
    const after = reduce(this.next ?? this.stage, event);
    if (this.next) this.next = after;
    else this.put(after);
    switch (event.did) {
      case "opened":
        this.onOpened(event);
        break;
      case "branched":
        this.branching.begun(event, heads);
        break;
      case "edited":
        this.selection.settle(event.ref ?? NOTHING);
        this.undo.edited(event);
        if (!this.undo.restoring) this.steering.edited(event);
        break;
      case "moved":
        this.undo.moved(event);
        break;
      case "snapshot":
        this.selection.settle(); // what was missed may hold the answers
        this.undo.moved(event);
        break;
      case "refused":
        this.onRefused(event);
        break;
      case "peeked":
        this.peeks.answered();
        break;
      case "loading":
        if ([this.opening, this.runs.warming].includes(event.id)) this.loading = event;
        break;
      case "done":
        if (event.failed) this.note(event.failed, true);
        this.branching.compare(event);
    }
    this.begin();
    this.steering.caughtUp();
    if (event.did === "peeked") this.now();
    else this.changed();
  }

  /**
   * A session introduces itself: the run that was requested.
   * @param {Event} event
   */
  onOpened(event) {
    this.loading = null;
    this.before = this.models;
    const { name, weights } = this.server.opened(event);
    this.runs.met(event);
    const recorded = this.steering.takeover?.weights[event.side];
    if (recorded && recorded !== weights) this.steering.startAnew(name);
    const passes = this.steering.takeover?.passes[event.side] ?? 0;
    if (passes > 0) this.connection.send({ do: "step", passes, session: event.session });
  }

  /** A session that nobody waits for: a later request has replaced it, or it only had to open the models.
   * @param {Event} event
   */
  decline(event) {
    this.server.opened(event);
    if (event.id === this.runs.warming && this.loading?.id === event.id) this.loading = null;
    this.connection.send({ do: "close", session: event.session });
    this.changed();
  }

  /** Show the run that has begun, once it has something to show. */
  begin() {
    const sides = this.next?.sides;
    if (!sides || this.steering.takeover || sides.some(({ source, session }) => source === "live" && !session)) return;
    if (!sides.some((side) => side.moments.length > 1 || side.done || side.failed)) return;
    this.put({ sides });
    this.next = null;
    this.move({ axis: this.pace.axis, at: 0, playing: true, following: true });
  }

  /** @param {Event} event */
  onRefused(event) {
    this.undo.refused(event);
    if (event.do === "open" && event.id !== this.opening) return; // models that were opened beforehand
    if (event.do === "peek") this.peeks.answered();
    if (event.do === "resume") return this.recordings.left(event.session ?? "");
    if (event.do === "pin") this.selection.settle(event.ref ?? undefined);
    if (event.do === "switch") this.branching.drop();
    if (this.others.has(event.session) && event.ref === undefined) return; // somebody else asked for it
    if (["peek", "step", "pause", "play", "close", "familiar", "judge"].includes(event.do)) return; // no person typed these
    const why = String(event.why);
    this.note(`${why.charAt(0).toUpperCase()}${why.slice(1)}${/[.!?]$/.test(why) ? "" : "."}`, true);
    if (event.do !== "open") return;
    this.loading = null;
    this.giveUp(); // what stood before stays
    if (this.before.length) this.models = this.before;
  }

  /** @param {"open" | "lost" | "blocked"} state */
  onLink(state) {
    this.link = state;
    if (state === "open") this.driver.sent.clear(); // the server paused what nobody watched
    this.peeks.answered();
    this.changed();
  }

  /**
   * @param {Side} side
   * @param {Record<string, any>} message
   */
  send(side, message) {
    this.undo.sent(side, message);
    this.connection.send({ ...message, session: side.session });
  }

  /** Start a run of one's own, as `Runs` explains.
   * @param {unknown[] | Record<string, unknown>} [values]
   * @param {boolean} [anyway]
   */
  run(values, anyway = false) {
    return this.runs.run(values, anyway);
  }

  nextRef() {
    return ++this.ref;
  }

  newId() {
    this.opening = `${Date.now().toString(36)}-${this.nextRef()}`;
    return this.opening;
  }

  /** @param {Record<string, any>} message */
  open(message) {
    this.meet();
    this.undo.replaced();
    this.undo.began(this.values);
    this.recordings.fromLink("");
    this.runs.rest();
    for (const { session } of [...this.live, ...this.coming]) this.connection.end(session);
    const gone = (/** @type {Side} */ side) => (side.source === "live" ? "" : side.session);
    this.put({ sides: this.sides.map((side) => ({ ...side, session: gone(side), of: "" })) });
    this.branching.drop();
    const wanted = message.sides.length; // where one side is asked for, nobody waits for the other
    this.next = { sides: this.sides.map((_, i) => ({ ...emptySide(), source: i < wanted ? "live" : "empty" })) };
    this.steering.drop();
    this.firstVisit(false);
    this.peeks.answered();
    this.loading = null;
    this.note("");
    this.connection.send({ ...message, entropy: this.entropyReaders.wanted });
    this.changed();
  }

  /**
   * @param {number} side
   * @param {number} cell
   * @param {boolean} extend
   * @param {boolean} inspect
   */
  select(side, cell, extend, inspect) {
    this.selection.select(side, cell, extend);
    if (inspect) this.inspect();
    this.now();
  }

  /** Show everything about the selected cell, or no longer.
   * @param {boolean} [on]
   */
  inspect(on = true) {
    this.inspecting = on;
  }

  leave() {
    this.inspecting = false;
    this.selection.leave();
    this.changed();
  }

  /**
   * @param {number} side
   * @param {number} cell
   */
  hover(side, cell) {
    if (this.selection.hover(side, cell)) this.changed();
  }

  /** Look at how the next words of a side suit each other, or no longer.
   * @param {number} side
   */
  fit(side) {
    this.fits = this.fits === side ? NOTHING : side;
    this.inspecting = false;
    this.changed();
  }

  /** Let another model think in a side, or none in the second, beginning with a new run.
   * @param {number} side
   * @param {string} name
   * @param {string} [preset] its decoder, in the second side
   * @param {string} [title] how that decoder is called
   */
  think(side, name, preset = "autoregressive", title = preset) {
    const [first = name] = (this.before = this.models);
    this.runs.decodeSecond(preset, title);
    this.models = side === 0 ? beside(name, this.models, this.runs.home) : name ? [first, name] : [first];
    if (side === 0) this.runs.meet();
    else void this.run({}, true);
  }
}
