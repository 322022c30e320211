/** The tour: a banner that names one thing to do, points at the real control, and goes on when it has happened. */

import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { unmask } from "../stage/controller.js";
import { inWords } from "../stage/quality.js";
import { NOTHING, OPEN } from "../wire/canvas.js";
import { STEPS, begun } from "./steps.js";

const KEPT = "unmask-tour"; // where a browser remembers that it was seen
const EARLY = 3; // the moment of the recording at which the tour begins

export class Tour extends HTMLElement {
  connectedCallback() {
    if (this.childElementCount) return;
    this.start = el("button", { type: "button", className: "start", onclick: () => this.begin() }, t("Tour"));
    this.start.title = "The first minute, in six steps";
    this.number = el("b", {});
    this.text = el("p", { role: "status" });
    this.bar = el(
      "section",
      { className: "bar unmask", hidden: true, "aria-label": "Tour" },
      this.number,
      this.text,
      el("button", { type: "button", onclick: () => this.advance("") }, "Skip this step"),
      el("button", { type: "button", onclick: () => this.end() }, "End the tour"),
    );
    this.append(this.start, this.bar);
    this.dataset.seen = String(seen());
    unmask.watchers.add(() => this.look());
  }

  step = -1;
  /** @type {import("./steps.js").Memory} */
  memory = { picked: NOTHING, at: 0, pins: 0, result: "" };
  /** @type {HTMLElement | undefined} */
  start;
  /** @type {HTMLElement | undefined} */
  number;
  /** @type {HTMLElement | undefined} */
  text;
  /** @type {HTMLElement | undefined} */
  bar;

  begin() {
    unmask.pause();
    unmask.leave();
    const side = unmask.side(0);
    if (side.moments.length > EARLY) unmask.jump(0, EARLY);
    this.go(0, "");
  }

  /** What a step may look at.
   * @returns {import("./steps.js").View}
   */
  get view() {
    const side = unmask.side(0);
    const at = unmask.at(0);
    const moment = side.moments[at];
    const { side: number, cell, selected } = unmask.selection;
    const picked = number === 0 && selected.length ? cell : NOTHING;
    const quality = unmask.qualities.of(side, at);
    const pins = unmask.sides.reduce(
      (sum, { moments }) => sum + moments.filter((m) => m.event?.edit?.do === "pin").length,
      0,
    );
    return {
      at,
      fresh: moment?.fresh ?? [],
      picked,
      open: picked !== NOTHING && moment?.kinds[picked] === OPEN,
      passes: Number(side.head.settings?.passes ?? Infinity),
      live: side.source === "live" && !unmask.next,
      finished: side.done && at === side.moments.length - 1,
      pins,
      inside: unmask.inspecting && document.querySelector(".inspector")?.getAttribute("data-known") === "yes",
      facts: quality ? inWords(quality) : unmask.qualities.pending(side, at) ? null : "",
    };
  }

  look() {
    const step = STEPS[this.step];
    if (!step) return;
    const result = step.done(this.view, this.memory);
    if (result !== null) this.advance(result);
  }

  /** @param {string} result */
  advance(result) {
    const { picked } = this.memory;
    if (this.step + 1 >= STEPS.length) return this.end();
    this.go(this.step + 1, result);
    if (this.memory.picked === NOTHING) this.memory.picked = picked;
  }

  /**
   * @param {number} step
   * @param {string} result
   */
  go(step, result) {
    this.step = step;
    this.memory = begun(this.view, result);
    const { name, text, target } = /** @type {typeof STEPS[number]} */ (STEPS[step]);
    if (name === "inside") unmask.leave(); // so that opening it is seen
    if (this.bar) this.bar.hidden = false;
    this.dataset.step = name;
    if (this.number) say(this.number, `${step + 1} of ${STEPS.length}`);
    if (this.text) say(this.text, text(this.memory));
    point(target);
  }

  end() {
    this.step = -1;
    this.dataset.step = "";
    if (this.bar) this.bar.hidden = true;
    point("");
    this.dataset.seen = "true";
    try {
      localStorage.setItem(KEPT, "seen");
    } catch {
      // a frame of another site may not remember
    }
    this.start?.focus({ preventScroll: true });
  }
}

/** Mark the real control.
 * @param {string} target
 */
function point(target) {
  for (const node of document.querySelectorAll("[data-tour]")) node.removeAttribute("data-tour");
  if (target) document.querySelector(target)?.setAttribute("data-tour", "here");
}

function seen() {
  try {
    return localStorage.getItem(KEPT) !== null;
  } catch {
    return false;
  }
}
