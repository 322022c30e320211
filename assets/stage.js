/** The stage on the page: two lanes, the transport, the steer bar and the inspector, and the keys that reach them. */

import { el, say } from "./dom.js";
import { Inspector } from "./inspector.js";
import { unmask } from "./instrument.js";
import { deedOf } from "./keyboard.js";
import { LaneView } from "./lane.js";
import { Announcer } from "./live.js";
import { kinship, opening } from "./card.js";
import { bringing } from "./bring.js";
import { addressOf } from "./recordings.js";
import { costOf, textOf, verdict } from "./meters.js";
import { paired } from "./asking.js";
import { Steer } from "./steer.js";
import { Transport } from "./transport.js";
import { NOTHING } from "./wire.js";

/** @typedef {import("./store.js").Lane} Lane */

const HINT = "Click a cell to look inside; type to pin a word there. Space plays and pauses, arrow keys step.";

export const NAMES = ["Diffusion", "Autoregressive"];
const SAYS = ["everywhere at once, then refined", "one word after another"];

export class Stage extends HTMLElement {
  connectedCallback() {
    if (this.childElementCount) return;
    const data = this.dataset;
    this.classList.add("unmask");
    unmask.names = JSON.parse(data.names ?? "[]");
    unmask.values = paired(unmask.names, JSON.parse(data.values ?? "[]"));
    unmask.models = JSON.parse(data.models ?? "[]");
    this.build();
    this.listen();
    unmask.watchers.add(() => this.show());
    const recorded = JSON.parse(data.replay ?? "[]");
    if (recorded.length) unmask.replay(recorded).catch((error) => this.fail(error));
    this.dataset.ready = "yes";
    unmask.changed();
  }

  build() {
    this.views = NAMES.map(
      (name, lane) =>
        new LaneView(lane, name, SAYS[lane] ?? "", {
          select: (number, cell, extend, inspect) => unmask.select(number, cell, extend, inspect),
          hover: (number, cell) => unmask.hover(number, cell),
          visit: (number, cell) => this.views[number]?.rove(cell),
          cancel: () => unmask.pause(),
          save: (number) => addressOf(unmask.lane(number), unmask.files, document.baseURI),
        }),
    );
    this.verdict = el("p", { className: "verdict" });
    this.transport = new Transport({
      toggle: () => unmask.toggle(),
      step: (by) => unmask.step(by),
      seek: (to) => unmask.seek(to),
      pace: (index) => unmask.setPace(index),
    });
    this.steer = new Steer((act, text) => {
      unmask.steer(act, text);
      if (act === "pin") this.views[unmask.hand.lane]?.focus(unmask.hand.cell);
    });
    this.inspector = new Inspector({
      choose: (token) => unmask.choose(token),
      jump: (moment) => unmask.jump(unmask.hand.lane, moment),
      close: () => {
        unmask.inspecting = false;
        unmask.changed();
        this.views[unmask.hand.lane]?.focus(unmask.hand.cell);
      },
    });
    this.region = el("div", { className: "heard", "aria-live": "polite" });
    this.announcer = new Announcer(this.region);
    this.append(
      el("div", { className: "lanes" }, ...this.views.map((view) => view.node)),
      this.transport.node,
      this.verdict,
      el(
        "div",
        { className: "foot" },
        legend(),
        bringing((files) => void unmask.bring(files)),
      ),
      this.steer.node,
      this.inspector.node,
      this.region,
    );
  }

  /** @type {LaneView[]} */
  views = [];

  listen() {
    document.addEventListener("keydown", (event) => this.press(event));
    addEventListener("unmask-theme", () => unmask.changed());
    // who started a run with a button holds the pause in hand next
    addEventListener("unmask-run", () => {
      if (document.activeElement instanceof HTMLButtonElement) this.transport?.play.focus({ preventScroll: true });
    });
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const target = event.target instanceof HTMLElement ? event.target : document.body;
    const number = this.views.findIndex((view) => view.grid.contains(target));
    const busy = target.closest(
      "input, textarea, select, button, [role=slider], [role=tab], [contenteditable], summary, a",
    );
    const steers = this.transport?.node.contains(target) && target.tagName !== "SELECT";
    const presses = target.tagName === "BUTTON" && event.key === " "; // the button's own
    if (number < 0 && busy && (!steers || presses)) return;
    const view = this.views[number];
    const cell = Number(target.dataset.cell ?? NOTHING);
    const place = view ? { cell, length: view.painter.nodes.length, rows: view.painter.rows } : null;
    const deed = deedOf(event, place) ?? this.typed(event, target);
    if (!deed) return;
    event.preventDefault();
    if (number >= 0 && !unmask.hand.selected.includes(cell)) unmask.select(number, cell, false, false);
    switch (deed.do) {
      case "toggle":
        return unmask.toggle();
      case "back":
        return unmask.step(-1);
      case "on":
        return unmask.step(1);
      case "start":
        return unmask.seek(0);
      case "end":
        return unmask.seek(Infinity);
      case "move":
        unmask.select(number, deed.to, deed.extend, false);
        return view?.focus(deed.to);
      case "inspect":
        return unmask.select(number, cell, false, true);
      case "erase":
        return unmask.steer("erase", "");
      case "leave":
        return unmask.leave();
      case "type":
        return this.steer?.begin(deed.text);
    }
  }

  /** Letters that find no cell with the keyboard go to the selected one: its row may just be moving.
   * @param {KeyboardEvent} event
   * @param {HTMLElement} target
   * @returns {import("./keyboard.js").Deed | null}
   */
  typed({ key, ctrlKey, metaKey, altKey }, target) {
    const letter = [...key].length === 1 && !ctrlKey && !metaKey && !altKey;
    return letter && target === document.body && unmask.hand.selected.length ? { do: "type", text: key } : null;
  }

  show() {
    const { lanes, head } = unmask;
    const costs = lanes.map((lane, i) => {
      const at = unmask.at(i);
      const kin = unmask.here.size ? kinship(lane.head.model, unmask.here) : "";
      this.views[i]?.show(lane, at, unmask.hand.touch(i), badgeOf(lane), stateOf(lane, at, head.playing), kin);
      return { name: NAMES[i] ?? "", cost: costOf(lane, at) };
    });
    const [one, two] = costs;
    const sentence = one && two ? verdict(one, two) : "";
    if (this.verdict) say(this.verdict, sentence);
    this.transport?.show(lanes, head, unmask.speed, head.axis === "clock" ? "of device time" : "");
    const { lane: number, cell } = unmask.hand;
    const lane = /** @type {Lane} */ (lanes[number]);
    this.steer?.aim(NAMES[number] ?? "", unmask.hand.selected, lane.moments.length > 0);
    if (this.steer)
      this.steer.answer(linkSays() || unmask.notice.text || HINT, unmask.notice.refused || unmask.link !== "open");
    if (unmask.inspecting && cell !== NOTHING) {
      this.inspector?.show(lane, unmask.at(number), cell, head.playing);
      unmask.peek();
    } else this.inspector?.hide();
    this.dataset.playing = String(head.playing);
    this.dataset.following = String(head.following);
    this.dataset.link = unmask.link;
    this.announce(lanes, head.playing, sentence);
  }

  /**
   * @param {Lane[]} lanes
   * @param {boolean} playing
   * @param {string} sentence
   */
  announce(lanes, playing, sentence) {
    const first = /** @type {Lane} */ (lanes[0]);
    const at = unmask.at(0);
    const moment = first.moments[at];
    const key = `${first.session} ${at} ${playing}`;
    if (!moment || key === this.spoken) return;
    this.spoken = key;
    if (playing) this.announcer?.mention(`${moment.passes} passes, ${moment.open} cells open.`);
    else if (moment.open === 0) this.announcer?.mention(`Finished. ${textOf(first, at)} ${sentence}`);
    else this.announcer?.mention(`Pass ${moment.passes}: ${moment.fresh.length} cells written, ${moment.open} open.`);
  }

  /** @param {Error} error */
  fail(error) {
    unmask.note(error.message, true);
  }

  spoken = "";
  /** @type {HTMLElement | undefined} */
  verdict;
  /** @type {Transport | undefined} */
  transport;
  /** @type {Steer | undefined} */
  steer;
  /** @type {Inspector | undefined} */
  inspector;
  /** @type {HTMLElement | undefined} */
  region;
  /** @type {Announcer | undefined} */
  announcer;
}

/** @param {Lane} lane */
function badgeOf(lane) {
  if (lane.source === "replay") return "replay";
  if (lane.source !== "live") return "";
  return lane.branches.length ? `live · branch ${lane.branches.length + 1}` : "live";
}

/**
 * @param {Lane} lane
 * @param {number} at
 * @param {boolean} playing
 */
function stateOf(lane, at, playing) {
  if (lane.failed) return "stopped";
  if (lane.source === "live" && unmask.link !== "open") return "connection lost, trying again";
  if (lane.child) return "branching …";
  if (lane.waiting) return "waiting";
  if (lane.source === "live" && !lane.moments.length) return unmask.loading ? opening(unmask.loading) : "opening …";
  if (at < lane.moments.length - 1) return `moment ${at} of ${lane.moments.length - 1}`;
  if (lane.done && lane.moments.length) return "finished";
  return lane.moments.length ? (playing ? "writing" : "paused") : "";
}

function linkSays() {
  if (unmask.link === "lost") return "The connection was lost; trying again. What you see stays, nothing is forgotten.";
  if (unmask.link === "blocked") return "Something between here and the server blocks live connections.";
  return "";
}

/** What the looks of a cell mean, shown by cells. */
function legend() {
  const kinds = [
    { look: "cell open", sure: "4", text: "perhaps", says: "open, with its best guess" },
    { look: "cell written fresh", sure: "9", text: "new", says: "written in this pass" },
    { look: "cell written", sure: "3", text: "unsure", says: "written, not so sure" },
    { look: "cell written doubted", sure: "9", text: "doubted", says: "would now write otherwise" },
    { look: "cell pinned", sure: "", text: "pinned", says: "fixed by you" },
  ];
  const entries = kinds.map(({ look, sure, text, says }) =>
    el("li", {}, el("span", { className: look, "data-sure": sure, "aria-hidden": "true" }, el("span", {}, text)), says),
  );
  return el("ul", { className: "legend", "aria-label": "How a cell looks" }, ...entries);
}
