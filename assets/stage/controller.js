/** One stage's parts: the runs on it, the player, what a person looks at and does, and the line to the server. */

import { beside } from "./beside.js";
import { Frames } from "./frames.js";
import { OthersRuns } from "./others_runs.js";
import { Player } from "./player.js";
import { Peeks } from "../views/peeks.js";
import { Branching } from "./branching.js";
import { StageDocument } from "./document.js";
import { Driver } from "./driver.js";
import { EntropyReaders } from "./entropy_readers.js";
import { Events } from "./events.js";
import { Recordings } from "./recordings.js";
import { Runs } from "./runs.js";
import { Steering } from "./steering.js";
import { Undo } from "./undo.js";
import { Selection } from "./selection.js";
import { ServerModels } from "./server_models.js";
import { Questions } from "../wire/questions.js";
import { Machine } from "./machine.js";
import { Nonsense } from "./nonsense.js";
import { Qualities } from "./quality.js";
import { Connection, address } from "../wire/connection.js";
import { reactive } from "../wire/reactive.js";
import { t } from "../looks/language.js";
import { recordOf } from "../wire/request.js";
import { emptySide } from "../wire/store.js";

/** @typedef {import("../wire/canvas.js").Event} Event */
/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {{text: string, go: () => void}} Action */

export class Controller extends StageDocument {
  machine = new Machine({ settled: () => void this.run() });
  selection = new Selection();
  others = new OthersRuns();
  /** @type {Set<(event: Event) => void>} who else hears what the server says */
  listeners = new Set();
  /** @type {string[]} of the controls, in their order */
  names = [];
  /** @type {string[]} the models before a change that may be refused */
  before = [];
  ref = 0; // of the last message that is answered by it
  ready = false; // the stage is set up
  /** @type {import("./talk.js").Talk | undefined} from the first run on that has turns */
  talk;
  faster = false; // whether the pair's fast mode is served
  state = reactive({
    /** what stands under the player, and what it offers */
    notice: /** @type {{text: string, refused: boolean, action: Action | null}} */ ({
      text: "",
      refused: false,
      action: null,
    }),
    /** @type {import("../wire/request.js").Values} of the controls */
    values: {},
    models: /** @type {string[]} */ ([]),
    inspecting: false, // everything about the selected cell is shown
    met: false, // somebody has run or opened something: the greeting is over
  });

  constructor() {
    super();
    this.player = new Player(this, {
      looked: () => this.selection.side,
      catchingUp: () => this.machine.in("run", "reopening"),
      touched: () => this.others.touched(),
      begin: () => void this.run(),
      pausing: () => this.showNext(),
      step: (side) => this.send(side, { do: "step", passes: 1 }),
    });
    this.frames = new Frames((elapsed) => this.player.tick(elapsed));
    this.frames.add(() => this.drive());
    this.entropyReaders = new EntropyReaders(this);
    this.server = new ServerModels();
    this.runs = new Runs(this);
    this.steering = new Steering(this);
    this.undo = new Undo(this);
    this.branching = new Branching(this);
    this.recordings = new Recordings(this);
    this.events = new Events(this);
    this.questions = new Questions((message) => this.connection.send(message));
    this.qualities = new Qualities((message) => this.questions.ask(message));
    this.nonsense = new Nonsense((message) => this.questions.ask(message));
    this.driver = new Driver((side, message) => this.send(side, message));
    this.peeks = new Peeks((side, message) => this.connection.send({ ...message, session: side.of || side.session }));
    this.connection = new Connection(address(document.baseURI), {
      onEvent: (event) => this.events.receive(event),
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
      fallback: async () => (await import("../wire/fallback.js")).fallback,
    });
  }

  // ── the runs, and how far each is on its way ───────────────────────────────────────────────────────────────

  /** The request whose run has the stage, or is on its way to it. */
  get opening() {
    return String(this.machine.kept("run")?.id ?? "");
  }

  /** Whether a run is asked for, or is on its way. */
  get going() {
    return this.machine.in("prompt", "asking") || ["opening", "reopening"].some((is) => this.machine.in("run", is));
  }

  // ── what this person looks at ──────────────────────────────────────────────────────────────────────────────

  get notice() {
    return this.state.notice;
  }

  get values() {
    return this.state.values;
  }

  get models() {
    return this.state.models;
  }

  /** @returns {Record<string, any> | null} what the server says of a model that is being opened */
  get loading() {
    return this.machine.kept("model");
  }

  /** @returns {import("./status.js").Link} */
  get link() {
    return /** @type {any} */ (this.machine.state.connection).is;
  }

  get inspecting() {
    return this.state.inspecting;
  }

  get met() {
    return this.state.met;
  }

  /**
   * @param {object} page what it opens with
   * @param {string[]} page.names of the controls
   * @param {unknown[]} page.values
   * @param {string[]} page.models
   * @param {boolean} page.faster
   * @param {Record<string, import("./decoder_values.js").Decoder>} page.decoders
   * @param {Partial<import("./decoder_values.js").Authors>} page.own how the first model's authors decode
   */
  setUp({ names, values, models, faster, decoders, own }) {
    this.names = names;
    this.state.values = recordOf(names, values);
    this.undo.began(this.values);
    const [first = "", second = first] = models;
    this.state.models = first ? [first, second] : []; // a host's only model stands beside itself, from left to right
    this.runs.livesWith(this.models);
    this.runs.knows(decoders, own);
    this.faster = faster;
    this.ready = true;
  }

  /** @param {import("../wire/request.js").Values} values of the controls: a run that is opened begins with them */
  setValues(values) {
    this.state.values = values;
  }

  /** @param {string[]} models */
  setModels(models) {
    this.state.models = models;
  }

  /** Something else is about to be opened: no recorded first view comes before it.
   * @param {string} id
   */
  reserve(id) {
    this.giveUp();
    this.machine.send("reserve", { id });
  }

  /** @param {import("./talk.js").Talk} talk from now on a question can go on from an answer */
  talks(talk) {
    this.talk = talk;
  }

  /** Somebody has run or opened something. */
  meet() {
    this.state.met = true;
  }

  /** Ignores what is still being loaded. */
  giveUp() {
    for (const { session } of this.coming) this.connection.end(session);
    this.expect(null);
    this.machine.send("withdraw");
  }

  /** The server's runs go on as the head does; a run that is not shown yet is under way to its first frame. */
  drive() {
    const own = this.sides.filter(({ session }) => !this.others.has(session));
    this.driver.update(own, this.player.head.playing && this.player.head.following, this.player.pace);
    if (!this.machine.in("run", "reopening")) this.driver.update(this.coming, true, this.player.pace);
  }

  /** The runs of a class on the stage.
   * @param {Side[]} sides
   */
  attend(sides) {
    this.giveUp();
    this.put(sides);
  }

  /** A run that is paused before its first frame is shown without one; a recording is not taken over. */
  showNext() {
    if (!this.next) return;
    if (!this.machine.in("run", "reopening")) return this.show(this.next.sides);
    this.undo.cancel();
    this.selection.settle();
    this.note(t("The recording stays as it was."));
  }

  /** A run that was on its way has the stage.
   * @param {Side[]} sides
   */
  show(sides) {
    this.put(sides);
    this.expect(null);
    this.machine.send("shown");
    this.player.move({ axis: this.player.pace.axis, at: 0, following: true });
  }

  /**
   * @param {string} text
   * @param {boolean} [refused]
   * @param {Action | null} [action] what a person may want next
   */
  note(text, refused = false, action = null) {
    this.state.notice = { text, refused, action };
    if (refused) this.machine.send("explain");
  }

  /** Say why something is refused, as a sentence.
   * @param {unknown} why
   */
  explain(why) {
    const text = String(why);
    this.note(`${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`, true);
  }

  /** @param {"open" | "lost" | "blocked"} state */
  onLink(state) {
    this.machine.send(state === "open" ? "connected" : state);
    if (state === "open") this.driver.sent.clear(); // the server paused runs without viewers
    if (state === "lost") this.requestAgain();
    this.peeks.answered();
  }

  /** What was requested and has not been answered may have been lost with the connection: it is requested again. */
  requestAgain() {
    const { machine } = this;
    for (const { request } of [machine.kept("prompt") ?? {}, machine.kept("run") ?? {}]) {
      if (!request) continue;
      if (machine.kept("run")?.request === request) {
        const sides = this.next?.sides ?? this.sides;
        const waits = sides.some(({ source, session }) => source === "live" && !session);
        if (!waits && !machine.in("run", "reopening")) continue;
        const anew = sides.map(({ source }) => ({ ...emptySide(), source }));
        if (this.next) this.expect(anew);
        else this.put(anew);
      }
      this.connection.again(request);
    }
  }

  /** A request did not open a run: what stood before stays.
   * @param {Event} event
   */
  refused({ id, why }) {
    this.explain(why);
    if (id === this.opening) {
      for (const { session } of this.coming) this.connection.end(session);
      this.expect(null);
      this.machine.send("refused");
    }
    if (!this.next) this.restoreModels();
  }

  /** The models were opened. */
  acceptModels() {
    this.before = this.models;
  }

  /** They were not: those before stay. */
  restoreModels() {
    if (this.runs.choice.length && this.models[0] !== this.before[0]) this.runs.choose([]); // it cannot be opened
    if (this.before.length) this.state.models = this.before;
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
    return `${Date.now().toString(36)}-${this.nextRef()}`;
  }

  /** Put the run that a message opens in the place of what is shown.
   * @param {Record<string, any>} message
   * @param {boolean} [send] whether it was not sent yet
   */
  open(message, send = true) {
    this.meet();
    this.undo.replaced();
    this.undo.began(this.values);
    this.recordings.fromLink("");
    this.machine.send("open", { id: message.id, request: message });
    for (const { session } of [...this.live, ...this.coming]) this.connection.end(session);
    const gone = (/** @type {Side} */ side) => (side.source === "live" ? "" : side.session);
    this.put(this.sides.map((side) => ({ ...side, session: gone(side), of: "" })));
    const wanted = message.sides.length; // where one side is asked for, nobody waits for the other
    this.expect(this.sides.map((_, i) => ({ ...emptySide(), source: i < wanted ? "live" : "empty" })));
    this.player.firstVisit(false);
    this.peeks.answered();
    this.note("");
    if (send) this.request(message);
  }

  /** Send the request for a run.
   * @param {Record<string, any>} message
   */
  request(message) {
    this.connection.send({ ...message, entropy: this.entropyReaders.wanted });
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
    this.frames.now();
  }

  /** Show everything about the selected cell, or no longer.
   * @param {boolean} [on]
   */
  inspect(on = true) {
    this.state.inspecting = on;
  }

  leave() {
    this.state.inspecting = false;
    this.selection.leave();
  }

  /**
   * @param {number} side
   * @param {number} cell
   * @param {number} [moment]
   */
  hover(side, cell, moment) {
    this.selection.hover(side, cell, moment);
  }

  /** Let a model answer a person's own prompts, now and later; without one, the models that the page opened with.
   * @param {string[]} models it, and what writes beside it
   */
  answerWith(models) {
    const { runs } = this;
    if (this.models[0] === runs.home[0]) runs.ofPair = this.values;
    runs.choose(models);
    this.before = this.models;
    runs.decodeSecond("autoregressive", "autoregressive");
    this.state.models = models.length ? models : runs.home;
    runs.openAsCardSays();
  }

  /** Let another model think in a side, or none in the second, beginning with a new run.
   * @param {number} side
   * @param {string} name
   * @param {string} [preset] its decoder, in the second side
   * @param {string} [title] how that decoder is called
   */
  think(side, name, preset = "autoregressive", title = preset) {
    this.before = this.models;
    const [first = name] = this.models;
    this.runs.decodeSecond(preset, title);
    this.state.models = side === 0 ? beside(name, this.models, this.runs.home) : name ? [first, name] : [first];
    if (side === 0) this.runs.openAsCardSays();
    else void this.run({}, true);
  }
}
