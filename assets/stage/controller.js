/** What stage, map and curves share: both sides on one clock, the selection, events from the server, requests to it. */

import { fallback } from "../wire/fallback.js";
import { changesOf, needsNewRun, openRequest, recordOf, reopenRequest, sharedOf } from "../wire/request.js";
import { setField } from "../ask/fields.js";
import { bannerOf, sameWeights } from "../steer/card.js";
import { Player } from "./player.js";
import { Peeks } from "../views/peeks.js";
import { Driver } from "./driver.js";
import { Lenses } from "../lenses/lenses.js";
import { taken } from "../lenses/script.js";
import { spoken } from "../looks/glyphs.js";
import { Selection } from "./selection.js";
import { pieceOf } from "./painter.js";
import { contents, staged } from "../wire/recordings.js";
import { Questions } from "../wire/questions.js";
import { Qualities } from "./quality.js";
import { Connection, address } from "../wire/connection.js";
import { doneOf, messageOf } from "../steer/edits.js";
import { SPEEDS } from "./playhead.js";
import { branchedAt } from "./status.js";
import { emptySide, reduce } from "../wire/store.js";
import { sealOf } from "../wire/trace.js";
import { NOTHING } from "../wire/canvas.js";

/** @typedef {import("../wire/canvas.js").Event} Event */
/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {{text: string, go: () => void}} Action */
/** @typedef {{name: string, slow: boolean, after: {text: string, changes: Record<string, unknown>} | null}} Example */

const FOLLOWS = 3; // a pin that the rest is to follow is made within this part of the run, while much is open
const WARM = 600; // ms after the first view, which comes first
const SETTLE = 250; // ms a slider must rest before a run that is over is started anew with it

class Controller extends Player {
  selection = new Selection();
  inspecting = false;
  /** @type {"open" | "lost" | "blocked"} */
  link = "open";
  /** @type {{text: string, refused: boolean, action: Action | null}} what is said to a person, and what it offers */
  notice = { text: "", refused: false, action: null };
  outside = ""; // a prompt of a kind that the model does not know: a person decides
  asking = 0; // prompts that are being looked at
  /** @type {string[]} prompts that need no looking at */
  trusted = [];
  /** @type {Example | null} the example that is to be run */
  showing = null;
  /** @type {Example | null} the example that runs */
  offering = null;
  mayOpen = false; // other models, by id or folder
  /** @type {Map<string, import("../wire/trace.js").Seal>} recordings that a person brought, by their sessions */
  brought = new Map();
  /** @type {import("../wire/request.js").Values} */
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
  /** @type {import("../wire/store.js").Stage | null} a run that has begun and has no frame yet: what stood stays until then */
  next = null;
  warming = ""; // the request that opens the models while the recording plays
  /** @type {Set<object>} who wants the entropy of every cell with every pass */
  entropyReaders = new Set();

  fits = NOTHING; // the side whose next words are looked at together
  met = false; // somebody has run or opened something: the greeting is over
  forked = ""; // what was said of the newest branch

  ref = 0;
  opening = "";
  undoing = false;
  resumeAfterFork = false; // what a branch is to do once it is there
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  settling;
  /** @type {{side: number, moments: number[], weights: string[], message: Record<string, any>} | null} a recording is being taken over */
  takeover = null;

  /** @type {Set<(event: Event) => void>} who else hears what the server says */
  listeners = new Set();
  /** @type {Set<string>} runs of a class that this page follows: somebody else drives them */
  taught = new Set();
  touching = () => true; // whether a person may move the head

  constructor() {
    super();
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
      (side, message) => this.send(side, message),
      () => this.changed(),
    );
    this.connection = new Connection(address(document.baseURI), {
      onEvent: (event) => this.receive(event),
      onState: (state) => this.onLink(state),
      resumes: () =>
        [...this.live, ...this.coming]
          .filter(({ keys }) => keys.own)
          .map(({ session, keys, n }) => ({ session, key: keys.own ?? "", after: n, entropy: this.entropy })),
      fallback,
    });
  }

  /** The side that a person looks at. */
  get looked() {
    return this.selection.side;
  }

  /** A recording is being thought again, up to where it was touched. */
  get catchingUp() {
    return this.takeover !== null;
  }

  /** The sides of a run that is not shown yet. */
  get coming() {
    return (this.next?.sides ?? []).filter((side) => side.session);
  }

  /** The server's runs go on as the head does; a run that is not shown yet is under way to its first frame. */
  drive() {
    const own = this.sides.filter(({ session }) => !this.taught.has(session));
    this.driver.update(own, this.head.playing && this.head.following, this.pace);
    if (!this.takeover) this.driver.update(this.coming, true, this.pace);
  }

  touched() {
    return this.touching();
  }

  /** The runs of a class on the stage.
   * @param {import("../wire/store.js").Stage} stage
   */
  attend(stage) {
    this.next = this.takeover = null;
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

  // ── events from the server ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** @param {Event} event */
  receive(event) {
    for (const listener of this.listeners) listener(event);
    const answers = event.id !== undefined && this.questions.hear(event);
    if (event.did === "familiar" || event.did === "judged" || (answers && event.did === "refused")) return;
    if (event.did === "opened" && event.id !== this.opening) return this.decline(event);
    const after = reduce(this.next ?? this.stage, event);
    if (this.next) this.next = after;
    else this.put(after);
    switch (event.did) {
      case "opened":
        this.onOpened(event);
        break;
      case "branched":
        this.onBranched(event);
        break;
      case "edited":
        this.selection.settle(event.ref ?? NOTHING);
        this.onEdited(event);
        break;
      case "snapshot":
        this.selection.settle(); // what was missed may hold the answers
        if (this.undoing) this.note("Undone: the run stands before the last edit.");
        this.undoing = false;
        break;
      case "refused":
        this.onRefused(event);
        break;
      case "peeked":
        this.peeks.answered();
        break;
      case "loading":
        if ([this.opening, this.warming].includes(event.id)) this.loading = event;
        break;
      case "done":
        if (event.failed) this.note(event.failed, true);
        this.compare(event);
    }
    this.begin();
    this.caughtUp();
    if (event.did === "peeked") this.now();
    else this.changed();
  }

  /**
   * Another branch is being written from now on.
   * @param {Event} event
   */
  onBranched(event) {
    const changed = this.sides.find(({ session }) => session === event.session);
    if (changed?.source === "live") this.send(changed, { do: "compare" }); // the tree is another
    if (!event.left) return;
    this.undoing = false;
    const side = this.sides.find(({ session }) => session === event.session);
    this.forked = side ? branchedAt(side, event.at ?? 0) : "";
    this.note(this.forked);
    this.move({ following: true, playing: this.resumeAfterFork });
    this.resumeAfterFork = false;
  }

  /** A branch is written to its end: what its edits changed, against the branch that it left.
   * @param {Event} event
   */
  compare({ session }) {
    const side = this.sides.find((one) => one.session === session);
    const left = side?.tree.find(({ name }) => name === side.branch)?.left;
    if (side && left) this.send(side, { do: "compare", one: left, two: side.branch });
  }

  /**
   * A session introduces itself: the run that was requested.
   * @param {Event} event
   */
  onOpened(event) {
    this.loading = null;
    this.before = this.models;
    const { name, weights } = this.opened(event);
    const recorded = this.takeover?.weights[event.side];
    if (this.takeover && recorded !== weights) this.startAnew(name);
    const passes = this.takeover?.moments[event.side] ?? 0;
    if (passes > 0) this.connection.send({ do: "step", passes, session: event.session });
  }

  /** A session that nobody waits for: a later request has replaced it, or it only had to open the models.
   * @param {Event} event
   */
  decline(event) {
    this.opened(event);
    if (event.id === this.warming && this.loading?.id === this.warming) this.loading = null;
    this.connection.send({ do: "close", session: event.session });
    this.changed();
  }

  /** A model is open.
   * @param {Event} event
   * @returns {Record<string, any>} its card
   */
  opened(event) {
    const card = event.head?.model ?? {};
    if (card.weights) this.here.add(card.weights);
    return card;
  }

  /** Show the run that has begun, once it has something to show. */
  begin() {
    const sides = this.next?.sides;
    if (!sides || this.takeover || !sides.every((side) => side.session)) return;
    if (!sides.some((side) => side.moments.length > 1 || side.done || side.failed)) return;
    this.put({ sides });
    this.next = null;
    this.move({ axis: this.pace.axis, at: 0, playing: true, following: true });
  }

  /** Say what became of an edit; after a fork, what that was for.
   * @param {Event} event
   */
  onEdited(event) {
    const side = this.sides.find(({ session }) => session === event.session);
    if (!side || !event.edit) return;
    const done = doneOf(event.edit, (...tokens) => spoken(tokens.map((token) => pieceOf(side, token)).join("")));
    const fresh = this.forked !== "" && this.notice.text === this.forked;
    if (fresh) return this.note(`${this.notice.text} ${done}`);
    const moment = side.moments[event.at ?? 0];
    const late = event.edit.do === "pin" && moment?.open === 0;
    const rest = late ? " The run is finished, so the other words stay as they are." : "";
    const action = late ? { text: "Step back and let the rest follow", go: () => this.follow(event) } : null;
    if (done) this.note(`${done}${rest}`, false, action);
  }

  /**
   * A word was pinned when all was written: pin it again where much was still open, and write on from there.
   * @param {Event} event the pin
   */
  follow(event) {
    const number = this.sides.findIndex(({ session }) => session === event.session);
    const side = this.sides[number];
    const before = side?.moments[(event.at ?? 0) - 1];
    const cell = event.edit?.cells?.[0];
    if (!side || !before || cell === undefined) return;
    const at = Math.max(0, Math.min((before.since[cell] ?? 1) - 1, Math.floor(((event.at ?? 0) - 1) / FOLLOWS)));
    const shift = (side.moments[at]?.ids.indexOf(before.ids[cell] ?? NOTHING) ?? NOTHING) - cell;
    const cells = event.edit.cells.map((/** @type {number} */ one) => one + shift);
    this.resumeAfterFork = true;
    this.move({ playing: false });
    this.send(side, { do: "pin", cells, tokens: event.edit.tokens, ref: ++this.ref, at_moment: at });
  }

  /** A recording of other weights cannot be gone on with: the same passes would not come out.
   * @param {string} name of the model that is here
   */
  startAnew(name) {
    this.takeover = null;
    this.selection.settle();
    this.note(
      `The recording was made by other weights than ${name} has here, so this is a new run of the same prompt.`,
    );
  }

  /** @param {Event} event */
  onRefused(event) {
    if (event.do === "open" && event.id !== this.opening) return; // models that were opened beforehand
    if (event.do === "peek") this.peeks.answered();
    if (event.do === "pin") this.selection.settle(event.ref ?? undefined);
    if (this.taught.has(event.session ?? "") && event.ref === undefined) return; // somebody else asked for it
    if (["peek", "step", "pause", "play", "close", "familiar", "judge"].includes(event.do)) return; // no person typed these
    const why = String(event.why);
    this.note(`${why.charAt(0).toUpperCase()}${why.slice(1)}${/[.!?]$/.test(why) ? "" : "."}`, true);
    if (event.do !== "open") return;
    this.loading = this.next = this.takeover = null; // what stood before stays
    if (this.before.length) this.models = this.before;
  }

  /** @param {"open" | "lost" | "blocked"} state */
  onLink(state) {
    this.link = state;
    if (state === "open") this.driver.sent.clear(); // the server paused what nobody watched
    this.peeks.answered();
    this.changed();
  }

  /** A run that was recorded has been thought again up to where it was touched: now the touch. */
  caughtUp() {
    const wanted = this.takeover;
    const sides = this.next?.sides;
    if (!wanted || !sides) return;
    if (sides.some((side, i) => !side.session || side.moments.length - 1 < (wanted.moments[i] ?? 0))) return;
    this.takeover = null;
    this.next = null;
    this.put({ sides });
    this.move({ axis: this.pace.axis, at: 0, following: true });
    this.send(this.side(wanted.side), wanted.message);
    this.move({ playing: true, following: true });
  }

  // ── requests ───────────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * @param {Side} side
   * @param {Record<string, any>} message
   */
  send(side, message) {
    this.connection.send({ ...message, session: side.session });
  }

  /**
   * Start a run of one's own, with the values of the controls; a prompt of a kind that the model does not know is
   * answered in words first.
   * @param {unknown[] | Record<string, unknown>} [values] all of the controls', or those that differ
   * @param {boolean} [anyway] whatever the prompt is
   */
  async run(values, anyway = false) {
    clearTimeout(this.settling);
    if (Array.isArray(values)) this.values = recordOf(this.names, values);
    else if (values) this.values = { ...this.values, ...values };
    const turn = ++this.asking;
    const { showing } = this;
    this.showing = null;
    if (!anyway && !(await this.knows(String(this.values.prompt ?? "")))) {
      if (turn !== this.asking) return;
      this.outside = String(this.values.prompt ?? "");
      this.note("The model was not trained on prompts of this kind. What stood before stays.");
      return;
    }
    if (turn !== this.asking) return; // somebody asked for something else meanwhile
    this.outside = "";
    this.offering = showing;
    this.slowly = showing?.slow ?? false;
    this.selection.settle();
    this.open(openRequest(this.values, this.models, this.newId()));
    dispatchEvent(new Event("unmask-run"));
  }

  /**
   * Start one of the examples: what is over in an instant plays in slow motion, and some have a sequel.
   * @param {Example} example
   * @param {unknown[]} values
   */
  example(example, values) {
    this.trusted.push(String(recordOf(this.names, values).prompt ?? ""));
    this.showing = example;
    return this.run(values);
  }

  /** What may be tried after an example that is over. */
  sequel() {
    const { after } = this.offering ?? {};
    const side = this.side(0);
    if (!after || !side.done || this.at(0) < side.moments.length - 1 || this.next) return null;
    const go = () => {
      for (const [name, value] of Object.entries(after.changes)) setField(name, Number(value));
      void this.run(after.changes);
    };
    return { text: after.text, go };
  }

  /** Whether a prompt is of a kind that the models know; where nobody can tell, it is.
   * @param {string} prompt
   */
  async knows(prompt) {
    const trim = prompt.trim();
    if (!trim || this.trusted.some((known) => known.trim() === trim)) return true;
    this.note("Looking at the prompt …");
    const models = [...this.models].reverse(); // the one that reads from left to right can tell best
    const answer = await this.questions.ask({ do: "familiar", prompt, models });
    return answer?.known !== false;
  }

  newId() {
    this.opening = `${Date.now().toString(36)}-${++this.ref}`;
    return this.opening;
  }

  /** @param {Record<string, any>} message */
  open(message) {
    this.met = true;
    this.linked = "";
    clearTimeout(this.settling);
    for (const side of [...this.live, ...this.coming]) this.send(side, { do: "close" });
    this.put({ sides: this.sides.map((side) => ({ ...side, session: side.source === "live" ? "" : side.session })) });
    this.next = { sides: this.sides.map(() => ({ ...emptySide(), source: /** @type {const} */ ("live") })) };
    this.takeover = null;
    this.peeks.answered();
    this.loading = null;
    this.note("");
    this.connection.send({ ...message, entropy: this.entropy });
    this.changed();
  }

  /** Open the models while the recording plays, so that Run need not wait for them. */
  warm() {
    if (this.opening || !this.models.length) return;
    this.warming = `warm-${Date.now().toString(36)}`;
    this.connection.send({ ...openRequest(this.values, this.models, this.warming), play: false });
  }

  /**
   * An edit of a side at the moment that is shown. A recorded run is taken over first.
   * @param {number} number
   * @param {Record<string, any>} message
   */
  edit(number, message) {
    const side = this.side(number);
    const at = this.at(number);
    const request = { ...message, ref: ++this.ref };
    this.note("");
    if (message.do === "pin") {
      const [cell, text] = [message.at ?? message.cells[0], message.text ?? pieceOf(side, message.tokens[0])];
      this.selection.expect(request.ref, { side: number, cell, text });
    }
    if (side.source === "replay") return this.takeOver(number, request);
    const earlier = at < side.moments.length - 1;
    this.send(side, earlier ? { ...request, at_moment: at } : request);
    this.resumeAfterFork = earlier || this.head.playing;
    if (earlier) this.move({ playing: false }); // until the branch is there
  }

  /**
   * @param {number} side
   * @param {Record<string, any>} message
   */
  takeOver(side, message) {
    const moments = this.sides.map((_, number) => this.at(number));
    const weights = this.sides.map(({ head }) => head.model?.weights);
    this.open(reopenRequest(this.sides, this.models, this.newId()));
    this.takeover = { side, moments, weights, message };
    this.note("The model takes over from the recording.");
  }

  /** The controls say what runs already.
   * @param {unknown[]} values
   */
  known(values) {
    clearTimeout(this.settling);
    this.values = recordOf(this.names, values);
    this.changed();
  }

  /** The controls have these values now.
   * @param {unknown[]} values
   */
  change(values) {
    const before = this.values;
    this.values = recordOf(this.names, values);
    const changes = changesOf(before, this.values);
    const decoder = before.preset !== this.values.preset && before.preset !== undefined ? this.values.preset : "";
    if ((!changes && !decoder) || needsNewRun(before, this.values)) return;
    clearTimeout(this.settling);
    // a decoder is asked for by its name: the engine knows what that means, and nothing of the old one stays
    if (this.live.length && !this.over) this.tune(decoder ? {} : (changes ?? {}), String(decoder));
    else if (this.sides.some((side) => side.source !== "empty")) this.settling = setTimeout(() => this.run(), SETTLE);
  }

  /** Change settings of what runs: each side takes what it understands.
   * @param {Record<string, unknown>} changes
   * @param {string} [preset] another decoder, by name
   */
  tune(changes, preset = "") {
    for (const side of this.live) {
      const own = side.head.causal ? { changes: sharedOf(changes) } : { changes, ...(preset && { preset }) };
      const empty = !Object.keys(own.changes).length && !("preset" in own);
      if (!side.done && !empty) this.send(side, { do: "tune", ...own, ref: ++this.ref });
    }
  }

  // ── selection ────────────────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * @param {number} side
   * @param {number} cell
   * @param {boolean} extend
   * @param {boolean} inspect
   */
  select(side, cell, extend, inspect) {
    this.selection.select(side, cell, extend);
    if (inspect) this.inspecting = true;
    this.now();
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

  /**
   * @param {import("../steer/steerbar.js").Act} act
   * @param {string} text
   */
  steer(act, text) {
    const { side: number, selected } = this.selection;
    const side = this.side(number);
    const at = this.at(number);
    const moment = side.moments[at];
    if (!moment) return;
    if (act === "fork" || act === "undo") {
      const message = act === "fork" ? { do: "fork", at } : { do: "undo" };
      this.undoing = act === "undo";
      if (side.source === "live") return this.send(side, message);
      return act === "fork"
        ? this.takeOver(number, message)
        : this.note("There is nothing to undo in a recording.", true);
    }
    const message = messageOf(act, moment, selected, text);
    if (typeof message === "string") this.note(message, true);
    else this.edit(number, message);
  }

  /**
   * Walk the branches of a side, compare, rename or forget one.
   * @param {number} number
   * @param {import("../views/branches.js").BranchAct} act
   * @param {string} name
   * @param {string} [more] another name
   */
  branch(number, act, name, more = "") {
    const side = this.side(number);
    if (act === "race") return this.race(number, name);
    if (act === "compare") this.send(side, { do: act, one: name, two: side.branch });
    else this.send(side, act === "rename" ? { do: act, head: name, name: more } : { do: act, head: name });
  }

  /**
   * Two branches of one run against each other, from the first pass on: the other one plays on the other side.
   * @param {number} number
   * @param {string} name
   */
  race(number, name) {
    const side = this.side(number);
    const moments = side.branches.get(name);
    if (!moments) return this.note(`Go to branch ${name} first: this page has not seen it yet.`, true);
    const other = this.side(1 - number);
    if (other.source === "live") this.send(other, { do: "close" });
    const { head, width, pieces, parts } = side;
    const title = `Branch ${name}`;
    const copy = { ...emptySide(), head, width, pieces, parts, moments, title, branch: name, done: true };
    this.put({ sides: this.sides.map((one, i) => (i === number ? one : { ...copy, source: "replay" })) });
    this.setPace(SPEEDS.findIndex(({ axis }) => axis === "pass"));
    this.note(`Branch ${side.branch} against branch ${name}, pass by pass.`);
    this.move({ axis: this.pace.axis, at: 0, playing: true, following: false });
  }

  /**
   * Had the model not written a word: a branch from the moment it did, where the cell is open again.
   * @param {number} number
   * @param {number} cell
   * @param {number} since the moment that wrote it
   */
  without(number, cell, since) {
    const side = this.side(number);
    const place = side.moments[since]?.ids.indexOf(side.moments[this.at(number)]?.ids[cell] ?? NOTHING) ?? NOTHING;
    if (place < 0) return;
    this.resumeAfterFork = true;
    this.move({ playing: false });
    this.send(side, { do: "erase", cells: [place], ref: ++this.ref, at_moment: since });
  }

  /** Look at how the next words of a side suit each other, or no longer.
   * @param {number} side
   */
  fit(side) {
    this.fits = this.fits === side ? NOTHING : side;
    this.inspecting = false;
    this.changed();
  }

  /** Take the shown branch of a side along as a Python script.
   * @param {number} number
   */
  async script(number) {
    const { session, source } = this.side(number);
    const answer = source === "live" && session ? await this.questions.ask({ do: "script", session }) : null;
    if (answer?.did !== "script") return this.note("There is no run of yours here to copy yet: press Run first.", true);
    this.note(await taken(answer.text));
  }

  /** Use a candidate in the inspected cell.
   * @param {number} token
   */
  choose(token) {
    this.edit(this.selection.side, { do: "pin", cells: [this.selection.cell], tokens: [token] });
  }

  /** Ask for what is not known of the inspected cell. */
  peek() {
    const { side: number, cell } = this.selection;
    const side = this.side(number);
    if (this.inspecting && side.source === "live" && side.session && cell !== NOTHING)
      this.peeks.request(side, this.at(number), cell);
  }

  // ── models and recordings ───────────────────────────────────────────────────────────────────────────────────────────

  /** Let another model think in a side, beginning with a new run.
   * @param {number} side
   * @param {string} name
   */
  think(side, name) {
    this.models = [0, 1].map((i) => (i === side ? name : (this.models[i] ?? this.models[0] ?? name)));
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
      const offers = await answer.json();
      this.mayOpen = offers.why === "";
      for (const { weights } of Object.values(offers.opened)) if (weights) this.here.add(weights);
      this.changed();
      return offers;
    } catch {
      return null; // the line says that it is lost
    }
  }

  get entropy() {
    return this.entropyReaders.size > 0;
  }

  /** Whether every pass is to bring the entropy of every cell, as long as somebody looks at it.
   * @param {object} who
   * @param {boolean} wanted
   */
  wantEntropy(who, wanted) {
    const before = this.entropy;
    if (wanted) this.entropyReaders.add(who);
    else this.entropyReaders.delete(who);
    const { entropy } = this;
    if (entropy === before) return;
    for (const { session, keys, n } of this.live.filter((side) => side.keys.own))
      this.connection.send({ do: "resume", session, key: keys.own, after: n, entropy });
  }

  /**
   * Play recorded runs until somebody touches something.
   * @param {string[]} addresses
   */
  async replay(addresses) {
    const texts = await Promise.all(addresses.map(async (at) => (await fetch(new URL(at, document.baseURI))).text()));
    if (this.opening) return; // somebody was quicker
    this.show(texts);
    setTimeout(() => this.warm(), WARM);
  }

  /** Files that a person opened.
   * @param {File[]} files
   */
  async openFiles(files) {
    try {
      this.show(await contents(files));
      this.brought = new Map(Array.from(this.files, ([session, text]) => [session, sealOf(text)]));
      this.met = true;
      this.opening = ""; // an earlier request is not waited for any more
      await this.offers();
      const card = this.sides.find((side) => side.source === "replay" && this.files.has(side.session))?.head.model;
      this.note(`This is a recording by ${card?.name ?? "an unnamed model"}; ${sameWeights(card, this.here)}.`);
    } catch (error) {
      this.note(error instanceof Error ? error.message : String(error), true);
    }
  }

  linked = ""; // what is said of a run that a link has opened

  /** What stands above recordings that a person brought: whether one was changed, or made elsewhere. */
  get banner() {
    if (this.linked) return this.linked;
    const side = this.sides.find(({ source, session }) => source === "replay" && this.brought.has(session));
    return side ? bannerOf(this.brought.get(side.session) ?? "none", side.head.model, this.here) : "";
  }

  /** @param {string[]} texts of trace files */
  show(texts) {
    const { sides, files } = staged(texts, this.sides);
    for (const side of [...this.live, ...this.coming]) this.send(side, { do: "close" });
    clearTimeout(this.settling);
    this.takeover = this.next = null;
    this.selection.leave();
    this.inspecting = false;
    for (const [session, text] of files) this.files.set(session, text);
    for (const session of this.files.keys())
      if (!sides.some((side) => side.session === session)) this.files.delete(session);
    this.put({ sides });
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.move({ axis: "clock", at: 0, playing: !still, following: false });
  }
}

export const unmask = new Controller();
