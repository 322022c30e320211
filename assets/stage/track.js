/** The player's row: one button, and the run on its clock as a picture that one can point into. */

import { say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { WIDE, axisOf, bars, meets } from "./bars.js";
import { end, shown, times } from "../clock/playhead.js";
import { counted } from "../views/sentence.js";
import { lateFindings } from "../views/late_findings.js";
import { html, render, svg } from "../vendor/lit-html.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("../clock/playhead.js").Playhead} Playhead */
/** @typedef {{toggle: () => void, seek: (to: number) => void, step: (by: 1 | -1) => void}} Handlers */

const STEPS = 1000; // of the slider

const PLAY = "M4 1l14 9-14 9z";
const PAUSE = "M3 1h5v18H3zM12 1h5v18h-5z";
const REPLAY = "M10 3V0L4.5 4.5 10 9V6a5.5 5.5 0 1 1-5.5 5.5H1.5A8.5 8.5 0 1 0 10 3z";

const ICONS = { play: PLAY, pause: PAUSE, replay: REPLAY };

export class Track {
  /** @param {Handlers} handlers */
  constructor(handlers) {
    this.handlers = handlers;
    this.node = document.createElement("div");
    this.node.className = "player";
    this.node.role = "group";
    this.node.ariaLabel = t("Player");
    this.draw();
    // what moves with every frame is written by hand
    const part = (/** @type {string} */ css) => /** @type {HTMLElement} */ (this.node.querySelector(css));
    this.veil = part(".veil");
    this.head = part(".head");
    this.glow = part(".pointed");
    this.bubble = part(".bubble");
    this.slider = /** @type {HTMLInputElement} */ (part(".seek"));
    new ResizeObserver(([entry]) => {
      this.width = entry?.contentRect.width ?? 0;
      this.letter = 0.62 * parseFloat(getComputedStyle(part(".unit")).fontSize);
      this.at = NaN;
      this.seen = [];
    }).observe(part(".time"));
  }

  focus() {
    this.node.querySelector("button")?.focus({ preventScroll: true });
  }

  draw() {
    const { picture, button } = this;
    const name = { play: t("Play"), pause: t("Pause"), replay: t("Replay") }[button];
    render(
      html`<button type="button" class="play" aria-label=${name} title=${name} @click=${this.handlers.toggle}>
          <svg viewBox="0 0 20 20" aria-hidden="true"><path d=${ICONS[button]} /></svg>
        </button>
        <div class="time">
          <div class="clip">
            <svg viewBox="0 0 ${WIDE} 46" preserveAspectRatio="none" aria-hidden="true">
              ${Object.entries(picture.paths).map(
                ([name, d]) => svg`<path class=${name} vector-effect="non-scaling-stroke" d=${d} />`,
              )}
            </svg>
            <div class="veil"></div>
            <div class="pointed" hidden></div>
          </div>
          <ol aria-hidden="true">
            ${picture.marks.map(
              ({ text, left, hidden }) => html`<li style="left: ${left}%" ?hidden=${hidden}>${text}</li>`,
            )}
          </ol>
          <input
            type="range"
            class="seek"
            min="0"
            max=${STEPS}
            step="any"
            value="0"
            aria-label=${t("Position in the run")}
            @input=${this.seek}
            @keydown=${this.pressed}
          />
          <div class="head"></div>
          <span class="bubble" aria-hidden="true"></span>
          <span class="unit" aria-hidden="true">${picture.unit}</span>
        </div>`,
      this.node,
    );
  }

  seek = () => this.handlers.seek((Number(this.slider.value) / STEPS) * this.last);

  pressed = (/** @type {KeyboardEvent} */ event) => {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.handlers.step(/** @type {1 | -1} */ (by));
  };

  last = 0;
  width = 0;
  letter = 8; // pixels that a letter of the unit takes
  at = NaN;
  /** @type {"play" | "pause" | "replay"} */
  button = "play";
  /** @type {{paths: Record<string, string>, marks: {text: string, left: number, hidden: boolean}[], unit: string}} */
  picture = { paths: { first: "", mine: "", second: "", axis: "" }, marks: [], unit: "" };
  /** @type {unknown[]} */
  seen = [];

  /**
   * @param {import("./player.js").Player} player
   * @param {number} changedFrom the moment of the first side from which on the words are a person's doing
   * @param {boolean} over nothing more comes by itself
   * @param {{side: number, moment: number}} pointed a look that is pointed at elsewhere
   */
  show({ timed: sides, head, clock }, changedFrom, over, pointed) {
    const machine = clock?.name ?? ""; // another machine, if its clock is shown
    const seen = [
      ...sides.map((side) => side.moments),
      head.axis,
      changedFrom,
      machine,
      sides[0] && lateFindings(sides[0]),
    ];
    const differs = seen.some((one, i) => one !== this.seen[i]);
    if (differs) this.picture = this.pictureOf(sides, head, changedFrom, machine);
    this.seen = seen;
    this.point(sides[pointed.side], head, pointed.moment);
    const at = head.following ? this.last : Math.min(head.at, this.last);
    const share = this.last ? at / this.last : 0;
    const ended = over && this.last > 0 && share >= 1 - 1e-6;
    const button = head.playing ? "pause" : ended ? "replay" : "play";
    if (differs || button !== this.button) {
      this.button = button;
      this.draw();
    }
    const x = Math.round(share * this.width);
    if (x === this.at) return;
    this.at = x;
    this.head.style.transform = this.veil.style.transform = `translateX(${x}px)`;
    const looks = sides.map((side) => side.moments[shown(side, head)]?.passes ?? 0);
    const [one = 0, two = 0] = looks;
    const where =
      looks.length > 1 ? t("after {one} and {two} looks", { one, two }) : t("after {looks}", { looks: counted(one) });
    if (head.playing) return;
    say(this.bubble, where);
    this.bubble.style.transform = `translateX(calc(${x}px - ${(share * 100).toFixed(1)}%))`;
    this.slider.value = String(share * STEPS);
    this.slider.setAttribute("aria-valuetext", where);
  }

  /** Mark the time of a look.
   * @param {Side | undefined} side
   * @param {Playhead} head
   * @param {number} moment
   */
  point(side, head, moment) {
    const known = side && moment > 0 && moment < side.moments.length && this.last > 0;
    this.glow.hidden = !known;
    if (!known) return;
    const row = times(side, head.axis);
    const [from, to] = [row[moment - 1] ?? 0, row[moment] ?? 0];
    this.glow.style.left = `${(100 * from) / this.last}%`;
    this.glow.style.width = `max(2px, ${(100 * (to - from)) / this.last}%)`;
  }

  /**
   * @param {Side[]} sides
   * @param {Playhead} head
   * @param {number} changedFrom
   * @param {string} machine
   */
  pictureOf(sides, head, changedFrom, machine) {
    this.last = end(sides, head.axis);
    this.at = NaN;
    const [one, two] = /** @type {[Side, Side]} */ (sides);
    const rows = sides.map((side) => times(side, head.axis));
    const first = rows[0] ?? [];
    const clock = head.axis === "clock";
    const timed = !clock || this.last >= 1; // a file from elsewhere may have no times
    const places = timed ? axisOf(this.last) : [];
    const share = (/** @type {number} */ place) => (place / (this.last || 1)) * WIDE;
    const written = (/** @type {number} */ place) => (clock ? `${+(place / 1000).toPrecision(3)}` : String(place));
    const s = (this.last / 1000).toFixed(this.last < 100 ? 3 : 2);
    const computing = machine
      ? t("{s} s on one {chip}, modelled", { s, chip: machine })
      : t("{s} s of computing", { s });
    const unit = !this.last || !timed ? "" : clock ? computing : t("looks");
    const letters = this.width / this.letter;
    return {
      paths: {
        first: bars(one, first, this.last, false, 1, changedFrom),
        mine: bars(one, first, this.last, false, changedFrom),
        found: lateFindings(one)?.marksOnTrack(one, first, this.last, false, WIDE) ?? "",
        stands: lateFindings(one)?.marksOnTrack(one, first, this.last, true, WIDE) ?? "",
        second: bars(two, rows[1] ?? [], this.last, true),
        axis: `M0 40H${WIDE}${places.map((place) => `M${Math.max(0.5, share(place))} 39v6`).join("")}`,
      },
      marks: places.map((place) => ({
        text: written(place),
        left: share(place) / 10,
        hidden: meets(share(place) / WIDE, written(place).length, unit.length, letters),
      })),
      unit,
    };
  }
}
