/** The stage on the page: two sides, the transport, the steer bar and the inspector, and the keys that reach them. */

import { el, say } from "../looks/dom.js";
import { Lens } from "../lenses/lens.js";
import { Inspector } from "../views/inspector.js";
import { unmask } from "./controller.js";
import { actionOf } from "./keyboard.js";
import { SideView } from "./side.js";
import { Announcer } from "./announcer.js";
import { sameWeights } from "../steer/card.js";
import { HINT, TOUCHED, badgeOf, linkNotice, passSentence, progressOf, stateOf } from "./status.js";
import { fileButton } from "./drop.js";
import { legend } from "./legend.js";
import { t } from "../looks/language.js";
import { shareMenu } from "../takeaway/menu.js";
import { addressOf } from "../wire/recordings.js";
import { costOf, textOf, verdict } from "./meters.js";
import { recordOf } from "../wire/request.js";
import { SteerBar } from "../steer/steerbar.js";
import { Transport } from "./transport.js";
import { NOTHING, OWN } from "../wire/canvas.js";

/** @typedef {import("../wire/store.js").Side} Side */

const LEAST = 120; // px of cells, on the smallest screen
const LINE = 1.95 * 16; // px of a line of cells at the usual size
const PITCH = 1.9 * 16; // px from one line of cells to the next, as in cells.css
const ABOVE = 6; // px above the first
const FITS = [1, 0.94, 0.88, 0.82, 0.76, 0.7];

/**
 * How large the text of so many cells may be to fit in a room; longer ones scroll.
 * @param {number} cells
 * @param {number} width
 * @param {number} room
 * @param {number} scale of the appearance
 */
export function fitting(cells, width, room, scale) {
  const tall = (/** @type {number} */ fit) => linesOf(cells, width, scale * fit) * LINE * scale * fit;
  return FITS.find((fit) => tall(fit) <= room) ?? FITS[FITS.length - 1] ?? 1;
}

/** The part of a room that whole lines take, so that none is cut in the middle.
 * @param {number} room
 * @param {number} pitch
 */
function whole(room, pitch) {
  return Math.floor((room - ABOVE) / pitch) * pitch + ABOVE;
}

/** Lines that so many cells may take.
 * @param {number} cells
 * @param {number} width
 * @param {number} scale
 */
function linesOf(cells, width, scale) {
  return Math.ceil((cells * 2.9 * 16 * scale) / Math.max(1, width)) + 1;
}

export const NAMES = ["Diffusion", "Autoregressive"];
const SUBTITLES = ["everywhere at once, then refined", "one word after another"]; // in the page's language: side.js

export class Stage extends HTMLElement {
  connectedCallback() {
    if (this.childElementCount) return;
    const data = this.dataset;
    this.classList.add("unmask");
    unmask.names = JSON.parse(data.names ?? "[]");
    unmask.values = recordOf(unmask.names, JSON.parse(data.values ?? "[]"));
    unmask.models = JSON.parse(data.models ?? "[]");
    unmask.faster = data.faster === "true";
    this.build();
    this.listen();
    unmask.watchers.add(() => this.show());
    const recorded = JSON.parse(data.replay ?? "[]");
    if (recorded.length) unmask.recordings.replay(recorded).catch((error) => this.fail(error));
    this.dataset.ready = "yes";
    unmask.changed();
  }

  build() {
    this.views = NAMES.map(
      (name, side) =>
        new SideView(side, name, SUBTITLES[side] ?? "", {
          select: (number, cell, extend, inspect) => unmask.select(number, cell, extend, inspect),
          hover: (number, cell) => unmask.hover(number, cell),
          visit: (number, cell) => this.views[number]?.rove(cell),
          cancel: () => unmask.pause(),
          branch: (number, act, name, more) => unmask.branching.act(number, act, name, more),
          fit: (number) => unmask.fit(number),
          script: (number) => void unmask.branching.script(number),
          save: (number) => addressOf(unmask.side(number), unmask.recordings.files, document.baseURI),
        }),
    );
    this.verdict = el("p", { className: "verdict" });
    this.transport = new Transport({
      toggle: () => unmask.toggle(),
      step: (by) => unmask.step(by),
      seek: (to) => unmask.seek(to),
      pace: (index) => unmask.setPace(index),
    });
    this.steer = new SteerBar((act, text) => {
      unmask.steering.steer(act, text);
      if (act === "pin") this.views[unmask.selection.side]?.focus(unmask.selection.cell);
    });
    this.lens = new Lens(unmask);
    this.inspector = new Inspector(
      {
        choose: (token) => unmask.steering.choose(token),
        jump: (moment) => unmask.jump(unmask.selection.side, moment),
        close: () => {
          unmask.inspecting = false;
          unmask.changed();
          this.views[unmask.selection.side]?.focus(unmask.selection.cell);
        },
      },
      this.steer.node,
      this.lens.reasons.node,
    );
    this.region = el("div", { className: "announcements", "aria-live": "polite" });
    this.announcer = new Announcer(this.region);
    this.sides = el(
      "div",
      { className: "sides" },
      ...this.views.map((view) => view.node),
      this.inspector.node,
      this.lens.drawer.node,
    );
    this.sides.dataset.shown = "0";
    this.dock = el(
      "div",
      { className: "dock" },
      this.transport.node,
      this.verdict,
      this.steer.line,
      el("div", { className: "foot" }, legend()),
    );
    this.steer.line.append(
      shareMenu(
        () => ({
          sides: unmask.sides,
          files: unmask.recordings.files,
          models: unmask.models,
          at: (side) => unmask.at(side),
        }),
        (text, refused) => unmask.note(text, refused),
      ),
      fileButton((files) => void unmask.recordings.openFiles(files)),
    );
    this.banner = el("p", { className: "banner", role: "status" });
    this.append(this.choice(), this.banner, this.sides, this.dock, this.region);
    const fit = () => this.fit();
    const watched = new ResizeObserver(fit);
    const page = this.closest(".gradio-container") ?? this; // what stands above moves the stage down
    for (const part of [page, this, this.dock, ...this.views.flatMap((view) => view.around)]) watched.observe(part);
    addEventListener("resize", fit);
  }

  /** @type {SideView[]} */
  views = [];

  /** On a phone, which side is shown. */
  choice() {
    const boxes = NAMES.map((name, side) =>
      el(
        "label",
        {},
        el("input", {
          type: "radio",
          name: "unmask-side",
          checked: side === 0,
          onchange: () => this.sides && (this.sides.dataset.shown = String(side)),
        }),
        el("span", {}, name),
      ),
    );
    return el("div", { className: "switch", role: "group", "aria-label": "Side that is shown" }, ...boxes);
  }

  /** Cells are as large as the screen has room for, between the top of the page and the dock. */
  fit() {
    const [view] = this.views;
    const side = view?.node.offsetParent ? view : this.views[1];
    if (!side || !this.dock) return;
    const around = side.node.offsetHeight - side.grid.offsetHeight;
    const top = this.getBoundingClientRect().top + scrollY + (this.sides?.offsetTop ?? 0) - this.offsetTop;
    const room = Math.max(LEAST, innerHeight - top - this.dock.offsetHeight - around - 6);
    const cells = Math.max(...unmask.sides.map((one) => one.moments[0]?.tokens.length ?? 0));
    this.style.setProperty("--room", `${Math.floor(room)}px`);
    const fit = fitting(cells, side.grid.clientWidth, room, side.scale);
    this.style.setProperty("--fit", String(fit));
    // as tall as all its cells may need, whatever stands in them: what is below stays where it is
    const tall = linesOf(cells, side.grid.clientWidth, side.scale * fit) * LINE * side.scale * fit + 16;
    const most = tall > room ? whole(room, PITCH * side.scale * fit) : tall;
    this.style.setProperty("--tall", `${Math.floor(Math.max(LEAST, most))}px`);
    this.fitted = `${cells}`;
  }

  fitted = "";

  listen() {
    document.addEventListener("keydown", (event) => this.press(event));
    addEventListener("unmask-theme", () => unmask.changed());
    // after a run is started with a button, the focus is on Pause
    addEventListener("unmask-run", () => {
      if (document.activeElement instanceof HTMLButtonElement) this.transport?.play.focus({ preventScroll: true });
    });
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const target = event.target instanceof HTMLElement ? event.target : document.body;
    if (event.key === "Escape" && (target === document.body || this.contains(target)) && this.lens?.close()) return;
    const number = this.views.findIndex((view) => view.grid.contains(target));
    const busy = target.closest(
      "input, textarea, select, button, [role=slider], [role=tab], [contenteditable], summary, a",
    );
    const steers = this.transport?.node.contains(target) && target.tagName !== "SELECT";
    const presses = target.tagName === "BUTTON" && event.key === " "; // the button's own
    if (number < 0 && busy && (!steers || presses)) return;
    const view = this.views[number];
    const cell = Number(target.dataset.cell ?? NOTHING);
    const place = view ? { cell, length: view.painter.shown, rows: view.painter.lines } : null;
    const action = actionOf(event, place) ?? this.typed(event, target);
    if (!action) return;
    event.preventDefault();
    if (number >= 0 && !unmask.selection.selected.includes(cell)) unmask.select(number, cell, false, false);
    switch (action.do) {
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
        unmask.select(number, action.to, action.extend, false);
        return view?.focus(action.to);
      case "inspect":
        return unmask.select(number, cell, false, true);
      case "erase":
        return unmask.steering.steer("erase", "");
      case "leave":
        return unmask.leave();
      case "type":
        unmask.inspecting = true; // the field to type in stands in the inspector
        unmask.now();
        return this.steer?.begin(action.text);
    }
  }

  /** Letters that find no cell with the keyboard go to the selected one: its row may just be moving.
   * @param {KeyboardEvent} event
   * @param {HTMLElement} target
   * @returns {import("./keyboard.js").KeyAction | null}
   */
  typed({ key, ctrlKey, metaKey, altKey }, target) {
    const letter = [...key].length === 1 && !ctrlKey && !metaKey && !altKey;
    return letter && target === document.body && unmask.selection.selected.length ? { do: "type", text: key } : null;
  }

  show() {
    const { sides, head } = unmask;
    const costs = sides.map((side, i) => {
      const at = unmask.at(i);
      const weights = unmask.here.size ? sameWeights(side.head.model, unmask.here) : "";
      const quality = unmask.qualities.of(side, at);
      this.views[i]?.show(
        side,
        at,
        unmask.selection.highlight(i),
        badgeOf(side),
        stateOf(side, at, head.playing, unmask.link, unmask.loading),
        weights,
        quality,
      );
      this.views[i]?.await(unmask.next?.sides[i] ?? side);
      return { name: side.title || (NAMES[i] ?? ""), cost: costOf(side, at), quality, absent: side.source === "empty" };
    });
    const [one, two] = costs;
    const sentence = one && two ? verdict(one, two) : "";
    if (this.verdict) tell(this.verdict, sentence);
    if (this.banner) say(this.banner, unmask.recordings.banner);
    this.transport?.show(sides, head, unmask.speed, head.axis === "clock" ? "of compute" : "");
    const { side: number, cell } = unmask.selection;
    const side = /** @type {Side} */ (sides[number]);
    this.steer?.aim(side.title || (NAMES[number] ?? ""), unmask.selection.selected, side.moments.length > 0);
    if (this.steer)
      this.steer.answer(
        linkNotice(unmask.link) ||
          progressOf(unmask.next !== null, unmask.coming.length > 0, unmask.loading, unmask.models) ||
          unmask.notice.text ||
          (unmask.slowly && unmask.speed === 0 ? passSentence(unmask.side(0), unmask.at(0)) : "") ||
          t(matchMedia("(hover: none)").matches ? TOUCHED : HINT),
        unmask.notice.refused || unmask.link !== "open",
        unmask.notice.action ?? unmask.runs.sequel(),
      );
    if (unmask.inspecting && cell !== NOTHING) {
      this.inspector?.show(side, unmask.at(number), cell, head.playing);
      if (this.inspector) this.inspector.node.dataset.over = String(1 - number); // the other side
      unmask.peek();
    } else this.inspector?.hide();
    this.lens?.show(this.views, this.inspector?.node.hidden === false);
    if (this.fitted !== String(Math.max(...sides.map((one) => one.moments[0]?.tokens.length ?? 0)))) this.fit();
    this.dataset.playing = String(head.playing);
    this.dataset.own = String(sides.some(({ moments }) => moments[0]?.kinds.includes(OWN)));
    this.dataset.following = String(head.following);
    this.dataset.link = unmask.link;
    // the greeting speaks of the recording that the page opened with, and of nothing else
    document.documentElement.toggleAttribute("data-met", unmask.met);
    this.announce(sides, head.playing, sentence);
    this.reveal(sides.some(({ moments }) => moments.length > 0));
  }

  /** The page is seen once it stands: until then it is laid out, but hidden, so that nothing jumps.
   * @param {boolean} filled
   */
  reveal(filled) {
    if (document.body.dataset.stands || !(filled || this.dataset.replay === "[]")) return;
    requestAnimationFrame(() => requestAnimationFrame(() => (document.body.dataset.stands = "yes")));
  }

  /**
   * @param {Side[]} sides
   * @param {boolean} playing
   * @param {string} sentence
   */
  announce(sides, playing, sentence) {
    const first = /** @type {Side} */ (sides[0]);
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
  sides;
  /** @type {HTMLElement | undefined} */
  dock;
  /** @type {HTMLElement | undefined} */
  verdict;
  /** @type {HTMLElement | undefined} */
  banner;
  /** @type {Transport | undefined} */
  transport;
  /** @type {SteerBar | undefined} */
  steer;
  /** @type {Inspector | undefined} */
  inspector;
  /** @type {Lens | undefined} */
  lens;
  /** @type {HTMLElement | undefined} */
  region;
  /** @type {Announcer | undefined} */
  announcer;
}

/** A verdict, of which a small screen shows the first two sentences.
 * @param {HTMLElement} node
 * @param {string} sentence
 */
function tell(node, sentence) {
  if (node.textContent === sentence) return;
  const [, first = sentence, rest = ""] = /^(.*?\.(?: [A-Z].*?\.)?)( [A-Z].*)$/s.exec(sentence) ?? [];
  node.replaceChildren(first, el("span", { className: "rest" }, rest));
}
