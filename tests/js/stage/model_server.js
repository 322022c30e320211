// A small model server for tests of the stage: it keeps to the protocol, answers when it is told to, and loses lines.
import { packed } from "../runs.js";

const CELLS = 4;

/** A line to the server, as the page's WebSocket: nothing is delivered before `ModelServer.turn` says so. */
export class Line {
  /** @param {ModelServer} server */
  constructor(server) {
    this.server = server;
    server.lines.push(this);
  }

  readyState = 0;
  /** @type {any[]} */
  up = []; // to the server
  /** @type {any[]} */
  down = [];
  /** @type {Set<string>} */
  follows = new Set();
  onopen = () => {};
  onclose = () => {};
  /** @type {(event: {data: string}) => void} */
  onmessage = () => {};

  /** @param {string} text */
  send(text) {
    this.up.push(JSON.parse(text));
  }

  close() {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.server.lines = this.server.lines.filter((line) => line !== this);
    for (const session of this.follows) {
      const run = this.server.runs.get(session);
      if (run) run.playing = false;
    }
    this.onclose();
  }
}

export class ModelServer {
  /** @type {Line[]} */
  lines = [];
  /** @type {Map<string, any>} by session */
  runs = new Map();
  made = 0;

  /** One thing happens: a line opens, a message arrives on either side, or a run that plays writes a word.
   * @param {() => number} random
   * @returns {boolean} whether there was anything to do
   */
  turn(random) {
    /** @type {(() => void)[]} */
    const may = [];
    for (const line of this.lines) {
      if (line.readyState === 0)
        may.push(() => {
          line.readyState = 1;
          line.onopen();
        });
      if (line.readyState === 1 && line.up.length) may.push(() => this.take(line, line.up.shift()));
      if (line.readyState === 1 && line.down.length) may.push(() => line.onmessage({ data: line.down.shift() }));
    }
    for (const run of this.runs.values()) if (run.playing && !run.done) may.push(() => this.write(run));
    if (!may.length) return false;
    may[Math.floor(random() * may.length)]?.();
    return true;
  }

  /** The server starts again: all that ran on it is gone, and every line is lost. */
  restart() {
    this.runs.clear();
    for (const line of this.lines) line.close();
  }

  /** The first request that is answered next is refused: another visitor has stopped the opening of its model. */
  stopped = false;

  /**
   * @param {Line} line
   * @param {Record<string, any>} event
   */
  tell(line, event) {
    line.down.push(JSON.stringify(event));
  }

  /** To who follows a run, and kept for who comes back.
   * @param {any} run
   * @param {Record<string, any>} event
   */
  publish(run, event) {
    const numbered = { ...event, session: run.session, n: ++run.n };
    run.events.push(numbered);
    for (const line of this.lines) if (line.follows.has(run.session)) this.tell(line, numbered);
  }

  /** @param {any} run */
  canvas({ written, pins }) {
    const cells = Array.from({ length: CELLS }, (_, i) => i + 1);
    const kind = (/** @type {number} */ cell) => (pins.has(cell) ? "p" : written.has(cell) ? "w" : "o");
    return {
      tokens: [1, ...cells.map((cell) => (pins.has(cell) || written.has(cell) ? 2 : -1))],
      kinds: `g${cells.map(kind).join("")}`,
    };
  }

  /** @param {any} run */
  open(run) {
    return CELLS - new Set([...run.written, ...run.pins]).size;
  }

  /** A pass writes one word.
   * @param {any} run
   */
  write(run) {
    const cell = [1, 2, 3, 4].find((one) => !run.written.has(one) && !run.pins.has(one));
    if (cell === undefined) return;
    run.written.add(cell);
    run.done = this.open(run) === 0;
    this.publish(run, {
      did: "stepped",
      at: ++run.at,
      ms: [4, 1, 4 * run.at],
      step: run.at - 1,
      block: 0,
      turn: run.at - 1,
      quota: 1,
      cost: 1,
      open: this.open(run),
      done: run.done,
      w: [cell],
      t: [2],
      c: [0.75],
      why: [],
      g: packed([-1, 2, 2, 3, 3]),
      s: packed([0, 204, 102, 51, 10], 1),
    });
    if (run.done) this.publish(run, { did: "done", failed: "" });
    this.follow(run);
  }

  /** The edits that a request brings along are made at their moments.
   * @param {any} run
   */
  follow(run) {
    while (run.scheduled[0]?.[0] === run.at + 1) this.edit(run.scheduled.shift()[1], run);
  }

  /**
   * @param {Line} line
   * @param {any} row
   */
  take(line, row) {
    const refuse = (/** @type {string} */ why, more = {}) =>
      this.tell(line, { did: "refused", do: row.do, id: row.id, session: row.session, ref: row.ref, why, ...more });
    if (row.do === "open") return this.begin(line, row, refuse);
    const run = this.runs.get(row.session);
    if (row.do === "nonsense" || row.do === "judge" || row.do === "familiar") return refuse("it is not known");
    if (!run || (row.do !== "resume" && !line.follows.has(row.session)))
      return refuse("this connection has no such session", { field: "session" });
    this.command(line, row, run, refuse);
  }

  /**
   * @param {Line} line
   * @param {any} row
   * @param {(why: string) => void} refuse
   */
  begin(line, row, refuse) {
    if (/odd/.test(row.prompt) && row.if_familiar)
      return this.tell(line, { did: "familiar", id: row.id, known: false, offers: [], weak: "" });
    if (/refused/.test(row.prompt)) return refuse("the server is at capacity");
    if (this.stopped) {
      this.stopped = false;
      return refuse("opening 'toy' was cancelled");
    }
    if (/slow/.test(row.prompt)) this.tell(line, { did: "loading", id: row.id, model: "toy" });
    row.sides.forEach((/** @type {any} */ { edits = [] }, /** @type {number} */ side) => {
      const session = `s${++this.made}`;
      /** @type {any} */
      const run = { session, n: 0, at: 0, playing: row.play, done: false, written: new Set(), pins: new Set() };
      Object.assign(run, { events: [], branches: 1, past: [], scheduled: [...edits] });
      this.runs.set(session, run);
      line.follows.add(session);
      const head = { width: 2, ends: [9], prompt: row.prompt, model: { name: "toy", weights: "w" }, settings: {} };
      const keys = { own: `${session} own`, steer: "s", watch: "w" };
      const canvas = this.canvas(run);
      this.publish(run, { did: "opened", id: row.id, side, keys, head, canvas, pieces: { 1: " one", 2: " two" } });
      this.follow(run);
    });
  }

  /**
   * @param {Line} line
   * @param {any} row
   * @param {any} run
   * @param {(why: string) => void} refuse
   */
  command(line, row, run, refuse) {
    const { ref } = row;
    const moved = () => this.publish(run, { did: "moved", at: run.at, length: run.at + 1, playing: run.playing });
    switch (row.do) {
      case "resume":
        line.follows.add(run.session);
        this.tell(line, { did: "allowed", session: run.session });
        for (const event of run.events) if (event.n > row.after) this.tell(line, event);
        return;
      case "close":
        this.runs.delete(run.session);
        return void line.follows.delete(run.session);
      case "play":
        run.playing = true;
        return;
      case "pause":
        run.playing = false;
        return moved();
      case "step":
        for (let i = 0; i < (row.passes ?? 1); i++) this.write(run);
        return;
      case "undo":
        if (!run.past.length) return refuse("there is nothing to undo");
        Object.assign(run, run.past.pop(), { playing: false });
        run.done = this.open(run) === 0;
        return this.publish(run, {
          did: "snapshot",
          at: run.at,
          length: run.at + 1,
          playing: false,
          canvas: this.canvas(run),
        });
      case "redo":
        return refuse("there is nothing to redo");
      case "compare":
        return this.tell(line, { did: "compare", session: run.session, on: "1", branches: [] });
      case "pin":
      case "erase":
      case "ban":
      case "tune":
      case "revert":
        return this.edit(row, run);
      case "fork":
        return this.branch(run, Math.min(row.at, run.at));
      default:
        return refuse(`${ref ?? ""}: ${row.do} is not for this run`);
    }
  }

  /**
   * @param {any} row
   * @param {any} run
   */
  edit(row, run) {
    run.past.push({ at: run.at, written: new Set(run.written), pins: new Set(run.pins) });
    if (row.at_moment !== undefined) this.branch(run, Math.min(row.at_moment, run.at));
    const cells = row.cells ?? [2];
    if (row.do === "pin") for (const cell of cells) run.pins.add(cell);
    if (row.do === "erase") for (const cell of cells) (run.written.delete(cell), run.pins.delete(cell));
    run.done = this.open(run) === 0;
    const edit = { do: row.do, cells, tokens: cells.map(() => 2), token: 3, changes: row.changes ?? {} };
    this.publish(run, { did: "edited", at: ++run.at, edit, ref: row.ref, canvas: this.canvas(run), settings: {} });
  }

  /**
   * @param {any} run
   * @param {number} at
   */
  branch(run, at) {
    const left = String(run.branches);
    const head = String(++run.branches);
    run.written = new Set([...run.written].slice(0, at));
    run.at = at;
    run.playing = false;
    this.publish(run, { did: "branched", head, left, at, heads: { [left]: at, [head]: at } });
  }
}
