/** The stage: two sides on one clock, a player, one sentence; and below, once asked for, everything else about the run. */

import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { promptField } from "../ask/fields.js";
import { recordOf } from "../wire/request.js";
import { NOTHING } from "../wire/canvas.js";
import { Announcer } from "./announcer.js";
import { Asked } from "./asked.js";
import { Below } from "./below.js";
import { HELD, captionOf, followedBy, invitedCell } from "./captions.js";
import { Fit } from "./fit.js";
import { actionOf } from "./keyboard.js";
import { costOf, textOf } from "./meters.js";
import { ownController } from "./page.js";
import { consequence, hasGaps, sentence } from "./sentence.js";
import { SideView, nameOf } from "./side.js";
import { linkNotice, passSentence, progressOf, stateOf } from "./status.js";
import { Track } from "./track.js";

/** @typedef {import("../wire/store.js").Side} Side */

const CAPTIONS = {
  guesses: "it guesses every word at once",
  keeps: "it keeps its best guesses",
  again: "and looks again",
  change: "change a word yourself: click one",
  followed: "and this one followed",
};

export class Stage extends HTMLElement {
  connectedCallback() {
    if (this.childElementCount) return;
    const data = this.dataset;
    this.classList.add("unmask");
    const { controller } = this;
    controller.names = JSON.parse(data.names ?? "[]");
    controller.values = recordOf(controller.names, JSON.parse(data.values ?? "[]"));
    controller.models = JSON.parse(data.models ?? "[]");
    controller.faster = data.faster === "true";
    this.build();
    this.listen();
    controller.watchers.add(() => this.show());
    const recorded = JSON.parse(data.replay ?? "[]");
    if (recorded.length) controller.recordings.replay(recorded).catch((error) => controller.note(error.message, true));
    this.dataset.ready = "yes";
    controller.changed();
  }

  controller = ownController();
  /** @type {SideView[]} */
  views = [];
  invited = { session: "", cell: NOTHING, refused: false };
  pressed = false; // Run was pressed, and nothing has come of it yet
  spoken = "";

  build() {
    const { controller } = this;
    this.views = [0, 1].map(
      (side) =>
        new SideView(side, {
          choose: (number, cell, extend) => this.choose(number, cell, extend),
          hover: (number, cell) => controller.hover(number, cell),
          visit: (number, cell) => this.views[number]?.rove(cell),
          cancel: () => controller.pause(),
          branch: (number, act, name, more) => controller.branching.act(number, act, name, more),
        }),
    );
    this.asked = new Asked(controller, this.views, () => this.more());
    this.track = new Track({
      toggle: () => this.toggle(),
      seek: (to) => controller.seek(to),
      step: (by) => controller.step(by),
    });
    this.below = new Below(controller, this.views);
    this.fit = new Fit(this.views, controller);
    this.banner = el("p", { className: "banner", role: "status" });
    this.first = el("span", { className: "first" });
    this.second = el("span", { className: "second" });
    this.notice = el("span", { className: "status", role: "status" });
    this.offer = el("button", { type: "button", className: "offer", hidden: true, onclick: () => this.offered?.go() });
    this.deeper = el(
      "button",
      { type: "button", className: "deeper", "aria-expanded": "false", onclick: () => this.deepen(!this.deep) },
      t("Look deeper"),
    );
    const region = el("div", { className: "announcements", "aria-live": "polite" });
    this.announcer = new Announcer(region);
    const foot = el(
      "div",
      { className: "foot" },
      el("p", { className: "say" }, this.first, this.second, this.notice, this.offer),
      this.deeper,
    );
    const sides = el(
      "div",
      { className: "sides", role: "group", "aria-label": t("The texts") },
      ...this.views.map(({ node }) => node),
    );
    this.append(el("div", { className: "view" }, this.banner, sides, this.track.node, foot), this.below.node, region);
    new ResizeObserver(() => this.fit?.again()).observe(sides);
  }

  get deep() {
    return this.hasAttribute("data-deep");
  }

  /** Show what stands behind the first view, or put it away.
   * @param {boolean} open
   */
  deepen(open) {
    this.toggleAttribute("data-deep", open);
    this.deeper?.setAttribute("aria-expanded", String(open));
    const sides = this.views[0]?.node.parentElement;
    if (sides) sides.style.minHeight = open ? `${sides.offsetHeight}px` : ""; // the stage stays as large as it is
    if (this.below) this.below.node.hidden = !open;
    this.dispatchEvent(new CustomEvent("unmask-deeper", { bubbles: true, detail: open }));
    this.controller.changed();
  }

  /** The page of the chosen word. */
  more() {
    this.controller.inspecting = true;
    this.deepen(true);
    this.controller.now();
    this.below?.inspector.node.scrollIntoView({ block: "nearest", behavior: "smooth" });
  }

  toggle() {
    this.controller.first = false;
    this.asked?.close();
    this.controller.toggle();
  }

  /** A word was pressed: what else might stand there is offered; with Shift several are selected.
   * @param {number} number
   * @param {number} cell
   * @param {boolean} extend
   */
  choose(number, cell, extend) {
    const { controller } = this;
    controller.first = false;
    controller.select(number, cell, extend, this.deep);
    if (extend) this.asked?.close();
    else this.asked?.open(number, cell);
    controller.now();
  }

  listen() {
    document.addEventListener("keydown", (event) => this.press(event));
    addEventListener("unmask-theme", () => {
      this.fit?.again();
      this.controller.changed();
    });
    this.addEventListener("unmask-going", () => this.going());
    document.addEventListener("input", (event) => {
      if (!(event.target instanceof Element && event.target.closest("#prompt"))) return;
      this.written = this.session;
      this.controller.changed();
    });
    // after a run is started with a button, the focus is on the player's
    addEventListener("unmask-run", () => {
      if (document.activeElement instanceof HTMLButtonElement) this.track?.play.focus({ preventScroll: true });
    });
  }

  /** A run was asked for: said at once, whatever becomes of it. */
  going() {
    this.pressed = true;
    this.dataset.run = "going";
    this.asked?.close();
  }

  /** Whether a key that was pressed nowhere is meant for this stage. */
  get meant() {
    return document.querySelector("unmask-stage:hover") === this || document.querySelector("unmask-stage") === this;
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const target = event.target instanceof HTMLElement ? event.target : document.body;
    const mine = this.contains(target);
    if (!mine && (target.closest("unmask-stage") || !this.meant)) return;
    if (event.key === "Escape") return this.escape(event);
    const writing = target.closest("input:not([type=range]), textarea, select, [contenteditable]");
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !event.shiftKey && !writing) {
      event.preventDefault();
      return this.controller.steering.steer("undo", "");
    }
    const number = this.views.findIndex(
      ({ paper }) => paper.node.contains(target) && target.dataset.cell !== undefined,
    );
    const busy = target.closest(
      "input, textarea, select, button, [role=slider], [role=tab], [contenteditable], summary, a",
    );
    const player = this.track?.node.contains(target) || this.below?.steps.node.contains(target);
    const steers = player && event.key !== " " && target.tagName === "BUTTON";
    if (number < 0 && busy && !steers && !this.letter(event, target)) return;
    const view = this.views[number];
    const cell = Number(target.dataset.cell ?? NOTHING);
    const place = view ? { cell, length: view.paper.shown, rows: view.paper.lines } : null;
    const action = this.letter(event, target) ?? actionOf(event, place);
    if (!action) return;
    event.preventDefault();
    this.act(action, number, cell);
  }

  /**
   * @param {import("./keyboard.js").KeyAction} action
   * @param {number} number
   * @param {number} cell
   */
  act(action, number, cell) {
    const { controller } = this;
    const { selection } = controller;
    if (number >= 0 && !selection.selected.includes(cell)) controller.select(number, cell, false, false);
    switch (action.do) {
      case "toggle":
        return this.toggle();
      case "back":
        return controller.step(-1);
      case "on":
        return controller.step(1);
      case "start":
        return controller.seek(0);
      case "end":
        return controller.seek(Infinity);
      case "move":
        this.asked?.close();
        controller.select(number, action.to, action.extend, false);
        return this.views[number]?.focus(action.to);
      case "inspect":
        return this.choose(number, cell, false);
      case "erase":
        return controller.steering.steer("erase", "");
      case "leave":
        return controller.leave();
      case "type":
        this.asked?.open(selection.side, selection.cell, action.text);
        return controller.now();
    }
  }

  /** With a word chosen, letters begin a word of one's own, wherever the keyboard is.
   * @param {KeyboardEvent} event
   * @param {HTMLElement} target
   * @returns {import("./keyboard.js").KeyAction | null}
   */
  letter({ key, ctrlKey, metaKey, altKey }, target) {
    const letter = [...key].length === 1 && key !== " " && !ctrlKey && !metaKey && !altKey;
    const free = target === document.body || target.closest(".slip, [data-cell]");
    const field = target.closest("input, textarea, select, [contenteditable]");
    return letter && free && !field && this.controller.selection.selected.length ? { do: "type", text: key } : null;
  }

  /** What was opened last is closed first.
   * @param {KeyboardEvent} event
   */
  escape(event) {
    const { controller, asked } = this;
    const { side, cell, selected } = controller.selection;
    if (asked?.shown) {
      asked.close();
      this.views[side]?.focus(cell);
    } else if (this.below?.escape()) this.views[side]?.focus(cell);
    else if (controller.first && controller.head.playing) this.skip();
    else if (selected.length) controller.leave();
    else if (this.deep && this.contains(document.activeElement)) {
      this.deepen(false);
      this.deeper?.focus();
    } else return;
    event.preventDefault();
    controller.now();
  }

  /** A first visit need not be watched. */
  skip() {
    this.controller.first = false;
    this.controller.move({ at: Infinity, playing: false, hold: 0 });
  }

  // ── what is shown ──────────────────────────────────────────────────────────────────────────────────────────

  show() {
    const { controller } = this;
    const { sides, head } = controller;
    const over = this.over();
    const change = controller.steering.change;
    const aheads = sides.map((side, number) => this.side(side, number));
    this.fit?.check(over);
    const { marks } = /** @type {Below} */ (this.below);
    this.toggleAttribute("data-marks", marks);
    this.track?.show(sides, head, change ? this.changedFrom(change.side) : Infinity, controller.over);
    this.tell(over, change);
    this.asked?.show();
    if (!this.asked?.shown) this.caption(aheads[0] ?? false, over, change);
    this.below?.show(this.deep);
    if (this.banner) say(this.banner, controller.recordings.banner);
    this.state(over);
    this.announce(sides, head.playing);
    this.reveal(sides.some(({ moments }) => moments.length > 0));
  }

  /** Every side has ended, and its end is what is seen. */
  over() {
    const { controller } = this;
    const there = controller.sides.filter(({ source }) => source !== "empty");
    if (!there.length || controller.next || controller.steering.takeover || !controller.over) return false;
    return controller.sides.every(
      (side, number) => side.source === "empty" || controller.at(number) === side.moments.length - 1,
    );
  }

  /**
   * @param {Side} side
   * @param {number} number
   */
  side(side, number) {
    const { controller } = this;
    const at = controller.at(number);
    const held = controller.first && at === 1 ? HELD : 0.08;
    const { ahead, ghost, spread } = controller.ahead(number, held);
    const still = !controller.head.playing && !controller.next;
    const state = stateOf(side, at, controller.head.playing, controller.link, controller.loading);
    const odd =
      [t("stopped"), t("connection lost, trying again"), t("waiting"), t("opening …")].includes(state) ||
      controller.loading;
    const view = this.views[number];
    view?.show(side, at, controller.selection.highlight(number), {
      state: this.stale
        ? t("still {text}", { text: shortened(this.shownPrompt) })
        : odd && side.source === "live"
          ? state
          : "",
      ahead,
      motion: { ghost, spread, still },
      marks: this.below?.marks ?? false,
    });
    view?.await(controller.next?.sides[number] ?? side);
    return ahead;
  }

  /** The first moment after a person's word.
   * @param {number} number
   */
  changedFrom(number) {
    const { moments } = this.controller.side(number);
    const edit = moments.findLastIndex(({ kind }) => kind === "edit");
    return edit < 0 ? Infinity : edit;
  }

  /**
   * @param {boolean} over
   * @param {import("./steering.js").Steering["change"]} change
   */
  tell(over, change) {
    const { controller } = this;
    const [one, two] = controller.sides.map((side, i) => ({
      cost: costOf(side, controller.at(i)),
      absent: side.source === "empty",
      causal: nameOf(side, i) === t("One word after another"),
      gaps: hasGaps(side),
      title: side.title,
    }));
    if (!one || !two) return;
    const begun = one.cost.passes > 0 || two.cost.passes > 0;
    const slowed = controller.pace.axis === "clock" && controller.pace.slow !== 1;
    const followed = change && over ? this.followed(change).length : 0;
    const from = change?.from ?? 0;
    const says = change ? consequence(followed, over, from, two.causal) : sentence([one, two], { begun, over, slowed });
    const key = JSON.stringify(says);
    if (key !== this.told) {
      this.told = key;
      this.first?.replaceChildren(
        ...says.first.map(({ text, as }) => el(as ? "b" : "span", { className: as ?? "" }, text)),
      );
    }
    const waited =
      linkNotice(controller.link) ||
      progressOf(
        controller.next !== null && !change,
        controller.coming.length > 0,
        controller.loading,
        controller.models,
      );
    const noted = change && !controller.notice.refused ? "" : controller.notice.text;
    const slow = controller.slowly && controller.speed === 0 ? passSentence(controller.side(0), controller.at(0)) : "";
    const notice = waited || noted || slow;
    if (this.notice) {
      say(this.notice, notice);
      this.notice.classList.toggle("refused", controller.notice.refused || controller.link !== "open");
    }
    if (this.second) say(this.second, notice ? "" : says.second);
    this.offered = change ? null : (controller.notice.action ?? controller.runs.sequel());
    if (this.offer) {
      this.offer.hidden = !this.offered;
      say(this.offer, this.offered?.text ?? "");
    }
  }

  told = "";
  /** @type {{text: string, go: () => void} | null} */
  offered = null;

  /** @param {NonNullable<import("./steering.js").Steering["change"]>} change */
  followed({ side: number, before }) {
    const side = this.controller.side(number);
    const after = side.moments[side.moments.length - 1];
    return after ? followedBy(before, after, side.head.ends ?? []) : [];
  }

  /**
   * @param {boolean} ahead
   * @param {boolean} over
   * @param {import("./steering.js").Steering["change"]} change
   */
  caption(ahead, over, change) {
    const { controller } = this;
    const slip = this.asked?.slips[0];
    const side = controller.side(0);
    if (!slip) return;
    const followed = change?.side === 0 ? (over ? this.followed(change) : []) : null;
    const may = side.source !== "empty" && !side.head.causal && !this.stale && !this.pressed;
    if (over && this.invited.session !== side.session)
      this.invited = {
        session: side.session,
        cell: invitedCell(side, controller.at(0)),
        refused: this.invited.refused,
      };
    const invited =
      may &&
      !this.invited.refused &&
      this.invited.cell !== NOTHING &&
      !controller.selection.selected.length &&
      !this.deep;
    const which = may
      ? captionOf({
          first: controller.first && controller.head.playing,
          at: controller.at(0),
          ahead,
          over,
          invited,
          followed: followed ? followed.length : -1,
        })
      : "";
    this.views[0]?.paper.cells.forEach(({ place }, cell) =>
      place.toggleAttribute("data-invited", which === "change" && cell === this.invited.cell),
    );
    if (!which) return slip.close();
    const touched = which === "change" && matchMedia("(hover: none)").matches;
    const text = touched ? t("change a word yourself: tap one") : t(CAPTIONS[which]);
    if (which === "change") slip.note(text, this.invited.cell, { mine: true, close: () => this.refuse() });
    else if (which === "followed") slip.note(text, followed?.[0] ?? NOTHING, { mine: true });
    else slip.note(text, which === "guesses" ? NOTHING : (this.freshest ?? NOTHING), { skip: () => this.skip() });
  }

  /** A word in the middle of what the first looks wrote, for a caption to point at. */
  get freshest() {
    const side = this.controller.side(0);
    const fresh = side.moments[1]?.fresh.filter((cell) => this.views[0]?.paper.placed?.at[cell]) ?? [];
    return fresh[Math.floor(fresh.length / 3)];
  }

  refuse() {
    this.invited.refused = true;
    this.controller.changed();
  }

  /** The prompt of what is shown. */
  get shownPrompt() {
    const side = this.controller.sides.find(({ source }) => source !== "empty");
    return String(side?.head.prompt ?? "");
  }

  /** Another prompt is being written in the box than the one that is shown, or it was refused. */
  get stale() {
    const { controller } = this;
    const field = controller.names.length ? promptField() : null;
    if (!field || controller.next || this.pressed || !this.shownPrompt) return false;
    if (controller.runs.outside !== "") return true;
    return this.written === this.session && field.value.trim() !== this.shownPrompt.trim();
  }

  /** What names the run that is shown. */
  get session() {
    return this.controller.sides.map(({ session }) => session).join();
  }

  /** @type {string | null} the run that stood when the prompt was written in */
  written = null;

  /** @param {boolean} over */
  state(over) {
    const { controller } = this;
    const { sides, head } = controller;
    const { stale } = this;
    this.toggleAttribute("data-stale", stale);
    this.views[0]?.node.parentElement?.setAttribute("aria-disabled", String(stale)); // it is paler than what is read
    this.dataset.playing = String(head.playing);
    this.dataset.following = String(head.following);
    this.dataset.link = controller.link;
    this.dataset.state = over ? "finished" : sides.some(({ moments }) => moments.length > 1) ? "running" : "empty";
    if (this.pressed && (controller.next || controller.notice.refused || controller.runs.outside)) this.pressed = false;
    const live = sides.some(({ source }) => source === "live");
    const going =
      this.pressed ||
      controller.next !== null ||
      controller.steering.takeover !== null ||
      (live && !over && !controller.over);
    if (going) this.dataset.run = "going";
    else if (live && over) this.dataset.run = "over";
    else if (!live) delete this.dataset.run;
    // the greeting speaks of the recording that the page opened with, and of nothing else
    document.documentElement.toggleAttribute("data-met", controller.met);
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
   */
  announce(sides, playing) {
    const first = /** @type {Side} */ (sides[0]);
    const at = this.controller.at(0);
    const moment = first.moments[at];
    const key = `${first.session} ${at} ${playing}`;
    if (!moment || key === this.spoken) return;
    this.spoken = key;
    const sentence = this.first?.textContent ?? "";
    if (playing) this.announcer?.mention(t("{n} looks, {open} cells open.", { n: moment.passes, open: moment.open }));
    else if (moment.open === 0) this.announcer?.mention(`${t("Finished.")} ${textOf(first, at)} ${sentence}`);
    else
      this.announcer?.mention(
        t("Look {n}: {fresh} cells written, {open} open.", {
          n: moment.passes,
          fresh: moment.fresh.length,
          open: moment.open,
        }),
      );
  }
}

/** The beginning of a text, for a name.
 * @param {string} text
 */
function shortened(text) {
  const line = text
    .trim()
    .replace(/^\w+: /, "")
    .replace(/\s+/g, " ");
  return `“${line.length > 26 ? `${line.slice(0, 25)}…` : line}”`;
}
