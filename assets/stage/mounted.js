/** A stage inside another page: shows the runs that arrive through its port, and reports edits. */

import { t } from "../looks/language.js";
import { wear } from "../looks/theme.js";
import { pieceOf } from "../cells/face.js";
import { NOTHING } from "../wire/canvas.js";
import { staged } from "../wire/recordings.js";
import { emptySide, reduce } from "../wire/store.js";

/** @typedef {import("./controller.js").Controller} Controller */
/** @typedef {import("../wire/canvas.js").Event} Event */
/** @typedef {import("../wire/store.js").Side} Side */

/** One pass of a run, or several, as a host sends them while its own model decodes.
 * @typedef {{run: string, n: number, pass: Event[], first?: Record<string, any>, at?: number}} Passes
 */

const STEERS = ["pin", "erase", "ban", "release", "boost"]; // what a host may be told; it has its own way of playing

/** Connect the stage with the page around it; a page that stands alone has none.
 * @param {Controller} unmask
 */
export function offerPort(unmask) {
  if (parent === window) return;
  const { port1, port2 } = new MessageChannel();
  new Mounted(unmask, port1);
  parent.postMessage({ unmask: "stage" }, "*", [port2]); // through it anybody may show a run, and nothing else
}

export class Mounted {
  run = ""; // the key of the host's run that is shown
  n = 0; // its passes that came
  wanted = -1; // the pass from which on they were requested
  steered = false; // whether the host follows what a person does

  /**
   * @param {Controller} unmask
   * @param {MessagePort} port
   */
  constructor(unmask, port) {
    this.unmask = unmask;
    this.port = port;
    document.body.classList.add("mounted");
    port.onmessage = ({ data }) => this.receive(data);
    const connection = unmask.connection;
    connection.send = (message) => this.send(message);
    connection.open = () => {};
    new ResizeObserver(() => this.measure()).observe(document.body);
    new MutationObserver(() => this.popped()).observe(document.body, { childList: true, subtree: true });
  }

  popover = false;

  /** A popover that is open needs room below its word. */
  popped() {
    const open = document.querySelector(".slip.pop") !== null;
    if (open || this.popover) this.measure();
    this.popover = open;
  }

  /** Tell the page around it how high the stage is, with what opens over it. */
  measure() {
    const slips = [...document.querySelectorAll(".slip.pop")].map((slip) => slip.getBoundingClientRect().bottom + 8);
    this.port.postMessage({ did: "grown", height: Math.ceil(Math.max(document.body.scrollHeight, ...slips)) });
  }

  /** @param {Record<string, any>} message */
  receive(message) {
    if (message.height) document.body.style.setProperty("--height", `${message.height}px`);
    if (message.theme) wear(message.theme);
    if ("steered" in message) this.steered = message.steered;
    document.body.classList.toggle("steered", this.steered);
    if (message.note) this.unmask.note(message.note, true);
    if (message.pass) this.passes(/** @type {Passes} */ (message));
    else if (message.trace) this.whole(message);
    else if (message.show) this.unmask.recordings.show(message.show);
    else if (message.did) this.unmask.events.receive(/** @type {Event} */ (message));
  }

  /** The newest passes of a run; those that were missed are requested.
   * @param {Passes} message
   */
  passes({ run, n, pass, first }) {
    if (first) this.begin(run, first);
    const before = n - pass.length;
    if (run === this.run && n <= this.n) return; // received already
    if (run !== this.run || before > this.n) return this.request(run);
    for (const event of pass.slice(this.n - before)) this.apply({ ...event, at: ++this.n });
    this.wanted = -1;
    this.port.postMessage({ did: "tick", run, n: this.n, open: this.side.moments.at(-1)?.open ?? 0 });
  }

  /** @param {string} run whose passes are missing here */
  request(run) {
    const from = run === this.run ? this.n : 0;
    if (this.wanted === from && run === this.run) return; // they are on their way
    if (run !== this.run) this.begin(run);
    this.wanted = from;
    this.port.postMessage({ do: "since", run, n: from });
  }

  /**
   * @param {string} run
   * @param {Record<string, any>} [first] its head, canvas and the text of its tokens
   */
  begin(run, first) {
    [this.run, this.n, this.wanted] = [run, 0, -1];
    if (!first) return;
    const { unmask } = this;
    unmask.selection.leave();
    unmask.note("");
    unmask.meet();
    const opened = /** @type {Event} */ ({ did: "opened", session: run, side: 0, ...first });
    unmask.put(reduce({ sides: [emptySide(), emptySide()] }, opened).sides);
    unmask.player.firstVisit(false);
    unmask.player.move({ axis: "clock", at: 0, playing: true, following: true });
    this.port.postMessage({ did: "began", run });
  }

  /** @param {Event} event */
  apply(event) {
    this.unmask.apply({ ...event, session: this.run });
  }

  get side() {
    return this.unmask.side(0);
  }

  /** A whole run: one that ended here is over, and another one plays, or stands at its end.
   * @param {Record<string, any>} message
   */
  whole({ run, n, trace, play }) {
    const { unmask } = this;
    const seen = run === this.run && this.side.source === "live" && !this.side.done;
    const { sides } = staged([trace], [emptySide(), emptySide()]);
    unmask.put(sides.map((side, i) => hostsOwn(side, run, i)));
    [this.run, this.n, this.wanted] = [run, n, -1];
    unmask.meet();
    if (seen || !play) unmask.player.move({ axis: "clock", at: Infinity, playing: false, following: false });
    else unmask.player.move({ axis: "clock", at: 0, playing: true, following: false });
    this.port.postMessage({ did: "began", run });
    if (seen) this.port.postMessage({ did: "end", run, n });
  }

  /** Messages from the stage to its server; a host gets edits only.
   * @param {Record<string, any>} message
   */
  send(message) {
    if (!STEERS.includes(message.do)) return;
    const { unmask, side } = this;
    if (!this.steered) return unmask.note(t("This app only shows runs: its words cannot be changed here."), true);
    const moment = side.moments[unmask.player.at(0)];
    const cells = message.cells ?? (message.at === undefined ? [] : [message.at]);
    const token = message.token ?? message.tokens?.[0] ?? NOTHING;
    const word = message.text ?? (token === NOTHING ? "" : pieceOf(side, token));
    const was = moment ? pieceOf(side, moment.tokens[cells[0] ?? 0] ?? NOTHING) : "";
    unmask.giveUp();
    unmask.selection.settle();
    unmask.note(t("Sent to the app; its next pass will show it."));
    this.port.postMessage({ did: "edit", kind: message.do, cell: cells[0] ?? null, cells, word, token, was, run: this.run, n: this.n }); // prettier-ignore
  }
}

/** A finished run that its host still follows: what is done to it is the host's to hear.
 * @param {Side} side
 * @param {string} run
 * @param {number} number
 * @returns {Side}
 */
function hostsOwn(side, run, number) {
  if (side.source === "empty") return side;
  return { ...side, source: "live", session: number ? `${run} ${number}` : run, done: true };
}
