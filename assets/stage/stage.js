/** The stage: two sides on one clock, a player, one sentence; and below, once asked for, everything else about the run. */

import { el, say } from "../looks/dom.js";
import { offered } from "../looks/features.js";
import { t } from "../looks/language.js";
import { promptField } from "../ask/fields.js";
import { Announcer } from "./announcer.js";
import { isOwn } from "./beside.js";
import { ALONE } from "../views/captions.js";
import { Captions } from "./captions_on_paper.js";
import { Controller } from "./controller.js";
import { Fit } from "./fit.js";
import { Keys } from "./keys.js";
import { changesOf } from "../views/changes.js";
import { textOf } from "../views/meters.js";
import { changedSide } from "../views/summary.js";
import { announceStage } from "./of_page.js";
import { Says } from "./says.js";
import { reactive } from "../wire/reactive.js";
import { SideView } from "./side.js";
import { stateOf } from "./status.js";
import { branchStrips } from "./strips.js";
import { Track } from "./track.js";
import { WordPopover } from "./word_popover.js";

/** @typedef {import("../wire/store.js").Side} Side */

export class Stage extends HTMLElement {
  connectedCallback() {
    if (this.childElementCount) return;
    const data = this.dataset;
    this.classList.add("unmask");
    const { controller } = this;
    controller.setUp({
      names: JSON.parse(data.names ?? "[]"),
      values: JSON.parse(data.values ?? "[]"),
      models: JSON.parse(data.models ?? "[]"),
      faster: data.faster === "true",
      decoders: JSON.parse(data.decoders ?? "{}"),
      own: JSON.parse(data.own ?? "{}"),
    });
    this.build();
    this.listen();
    controller.frames.add(() => this.show());
    announceStage(this);
    void this.replay(JSON.parse(data.replay ?? "[]"));
  }

  /** Show what the page opens with; then the stage can be used.
   * @param {string[]} addresses of recordings
   */
  async replay(addresses) {
    const { controller } = this;
    try {
      if (addresses.length) await controller.recordings.replay(addresses);
    } catch (error) {
      controller.note(error instanceof Error ? error.message : String(error), true);
    }
    this.dataset.ready = "yes";
    controller.frames.redraw();
  }

  controller = new Controller();
  state = reactive({
    written: /** @type {string | null} */ (null), // the run that stood when the prompt was written in
  });
  /** @type {SideView[]} */
  views = [];
  spoken = "";

  build() {
    const { controller } = this;
    this.views = [0, 1].map(
      (side) =>
        new SideView(side, {
          choose: (number, cell, extend) => this.choose(number, cell, extend),
          hover: (number, cell) => controller.hover(number, cell),
          visit: (number, cell) => this.views[number]?.rove(cell),
          cancel: () => controller.player.pause(),
        }),
    );
    const region = el("div", { className: "announcements", "aria-live": "polite" });
    const announcer = new Announcer(region);
    this.announcer = announcer;
    this.wordPopover = new WordPopover(
      controller,
      this.views,
      () => void this.more(),
      (text) => announcer.announce(text),
    );
    this.track = new Track({
      toggle: () => this.toggle(),
      seek: (to) => controller.player.seek(to),
      step: (by) => controller.player.step(by),
    });
    this.fit = new Fit(this.views, controller);
    this.banner = el("p", { className: "banner", role: "status" });
    this.says = new Says(controller, () => void this.openClock());
    this.captions = new Captions(this);
    this.deeper = el(
      "button",
      { type: "button", className: "deeper", "aria-expanded": "false", onclick: () => this.deepen(!this.deep) },
      t("Look deeper"),
    );
    const foot = el("div", { className: "foot" }, this.says.node, document.createElement("unmask-dial"), this.deeper);
    const sides = el(
      "div",
      { className: "sides", role: "group", "aria-label": t("The texts") },
      ...this.views.map(({ node }) => node),
    );
    this.append(
      el("div", { className: "view" }, this.banner, this.track.node, sides, foot, branchStrips(controller)),
      region,
    );
    new ResizeObserver(() => this.fit?.again()).observe(sides);
  }

  get deep() {
    return this.hasAttribute("data-deep");
  }

  /** What is behind the first view has a place of its own on the page; elsewhere it stands below.
   * @returns {import("../looks/dock.js").Dock | null}
   */
  get dock() {
    const dock = this.controller.names.length ? document.querySelector("unmask-dock") : null;
    return /** @type {import("../looks/dock.js").Dock | null} */ (dock?.childElementCount ? dock : null);
  }

  /** @type {import("./below.js").Below | undefined} what is behind the first view, once somebody has wanted it */
  below;
  /** @type {Promise<void> | undefined} */
  loading;

  /** Load what is behind the first view. */
  load() {
    this.loading ??= Promise.all([import("./below.js"), offered("lens"), offered("ways")]).then(
      ([{ Below }, lenses, ways]) => {
        const { controller, views } = this;
        const made = lenses.map((Lens) => new Lens(controller, views));
        this.below = new Below(
          controller,
          views,
          made,
          ways.flatMap((way) => way(controller)),
        );
        this.querySelector(".view")?.after(this.below.node);
      },
      (error) => {
        this.loading = undefined; // it is tried again with the next press
        throw error;
      },
    );
    return this.loading;
  }

  wantsDeep = false; // behind the first view is, or will be, shown

  /** Show what stands behind the first view, or put it away.
   * @param {boolean} open
   */
  async deepen(open) {
    this.wantsDeep = open;
    if (open && !this.below) {
      this.deeper?.setAttribute("aria-busy", "true");
      await this.load().finally(() => this.deeper?.removeAttribute("aria-busy"));
      if (!this.wantsDeep || this.deep) return; // another press came meanwhile
    }
    const { below, dock } = this;
    this.toggleAttribute("data-deep", open);
    this.deeper?.setAttribute("aria-expanded", String(open));
    if (below && dock && !this.docked) {
      dock.fill(below);
      dock.addEventListener("unmask-close", () => this.away());
      dock.addEventListener("unmask-page", () => {
        this.wordPopover?.close();
        this.controller.frames.redraw();
      });
      this.docked = true;
    }
    if (below) below.node.hidden = !open || this.docked;
    this.dispatchEvent(new CustomEvent("unmask-deeper", { bubbles: true, detail: open }));
    if (open) dock?.focus();
    if (open && dock && !dock.beside) dock.firstElementChild?.scrollIntoView({ block: "center", behavior: "smooth" });
    this.controller.frames.redraw();
  }

  docked = false;

  /** Put away what stands behind the first view; the keyboard is where it was. */
  away() {
    this.deepen(false);
    if (!this.dock?.back()) this.deeper?.focus();
  }

  /** Show a page of what stands behind the first view.
   * @param {import("../looks/dock.js").Page} page
   * @param {(below: import("./below.js").Below) => HTMLElement} [partOf] it
   */
  async open(page, partOf) {
    if (!this.below) await this.load();
    this.dock?.show(page);
    if (!this.deep) void this.deepen(true);
    this.controller.frames.now();
    const part = this.below && partOf?.(this.below);
    if (part && !(page === "word" && this.dock?.beside)) part.scrollIntoView({ block: "nearest", behavior: "smooth" });
  }

  /** The page of the chosen word. */
  more() {
    this.controller.inspect();
    void this.open("word", ({ inspector }) => inspector.node);
  }

  /** Whose clock it is, and what another machine would take. */
  async openClock() {
    if (!this.below) await this.load();
    const folded = this.below?.clock.node.closest("details");
    if (folded) folded.open = true;
    void this.open("run", ({ clock }) => clock.node);
    this.below?.clock.focus();
  }

  toggle() {
    this.controller.player.firstVisit(false);
    this.wordPopover?.close();
    this.controller.player.toggle();
  }

  /** A word was pressed: what else might stand there is offered; with Shift several are selected.
   * @param {number} number
   * @param {number} cell
   * @param {boolean} extend
   */
  choose(number, cell, extend) {
    const { controller } = this;
    controller.player.firstVisit(false);
    controller.select(number, cell, extend, this.deep);
    const beside = this.deep && this.dock?.beside;
    if (beside && !extend) this.dock?.show("word");
    if (extend || beside) this.wordPopover?.close();
    else this.wordPopover?.open(number, cell);
    controller.frames.now();
  }

  listen() {
    const keys = new Keys(this);
    document.addEventListener("keydown", (event) => keys.press(event));
    addEventListener("unmask-theme", () => {
      this.fit?.again();
      this.controller.frames.redraw();
    });
    this.addEventListener("unmask-going", () => this.going());
    this.addEventListener("unmask-word", () => this.more());
    document.addEventListener("input", (event) => {
      if (!(event.target instanceof Element && event.target.closest("#prompt"))) return;
      this.state.written = this.session;
      this.controller.frames.redraw();
    });
    // after a run is started with a button, the focus is on the player's
    addEventListener("unmask-run", () => {
      if (document.activeElement instanceof HTMLButtonElement) this.track?.focus();
    });
  }

  /** A run was asked for: said at once, whatever becomes of it. */
  going() {
    this.controller.machine.send("press");
    this.dataset.run = "going";
    this.wordPopover?.close();
  }

  /** A first visit need not be watched. */
  skip() {
    this.controller.player.firstVisit(false);
    this.controller.player.move({ at: Infinity, playing: false, hold: 0 });
  }

  // ── what is shown ──────────────────────────────────────────────────────────────────────────────────────────

  show() {
    const { controller } = this;
    const { sides, player } = controller;
    const { head } = player;
    const over = this.over();
    const changed = changedSide(
      sides,
      sides.map((_, number) => player.at(number)),
    );
    const aheads = sides.map((side, number) => this.side(side, number));
    this.fit?.check(over);
    this.toggleAttribute("data-marks", this.below?.marks ?? false);
    const from = changed ? Infinity : (changesOf(controller.side(0))[0]?.at ?? Infinity);
    this.track?.show(player, from, controller.over, controller.selection.hovered);
    this.wordPopover?.show();
    if (!this.wordPopover?.shown) this.captions?.show(aheads[0] ?? false, over, changed === 0);
    this.says?.show(over, changed >= 0, this.stale, this.captions?.tells ?? false);
    this.below?.show(this.deep);
    if (!controller.talk && [...sides, ...controller.coming].some(({ head }) => head.turns))
      void import("./talk_on_page.js").then(({ beginTalks }) => beginTalks(this));
    if (this.banner) say(this.banner, controller.recordings.banner);
    this.tellPage(over);
    this.announce(sides, head.playing);
    this.reveal(sides.some(({ moments }) => moments.length > 0));
  }

  /** Every side has ended, and its end is what is seen. */
  over() {
    const { controller } = this;
    const there = controller.sides.filter(({ source }) => source !== "empty");
    if (!there.length || controller.next || !controller.over) return false;
    return controller.sides.every(
      (side, number) => side.source === "empty" || controller.player.at(number) === side.moments.length - 1,
    );
  }

  /**
   * @param {Side} side
   * @param {number} number
   */
  side(side, number) {
    const { controller } = this;
    const at = controller.player.at(number);
    const alone = controller.player.first && at === 1 ? ALONE : 0.08;
    const { ahead, ghost, spread } = controller.player.ahead(number, alone);
    const still = !controller.player.head.playing && !controller.next;
    const state = stateOf(side, at, controller.player.head.playing, controller.link, controller.loading);
    const odd =
      [t("stopped"), t("connection lost, trying again"), t("waiting"), t("opening …")].includes(state) ||
      controller.loading;
    const view = this.views[number];
    view?.show(side, at, controller.selection.highlight(number), {
      state: this.stale
        ? t("still {text}", { text: shortened(this.shownPrompt) })
        : odd && side.source === "live"
          ? state
          : (this.wordPopover?.preview?.stands(number) ?? ""),
      ahead,
      motion: { ghost, spread, still },
      marks: this.below?.marks ?? false,
    });
    view?.await(controller.next?.sides[number] ?? side);
    return ahead;
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
    if (!field || controller.next || controller.machine.in("press", "pressed") || !this.shownPrompt) return false;
    if (controller.talk?.open) return false; // another question goes on from it
    if (controller.runs.outside !== "") return true;
    return this.state.written === this.session && field.value.trim() !== this.shownPrompt.trim();
  }

  /** What names the run that is shown. */
  get session() {
    return this.controller.sides.map(({ session }) => session).join();
  }

  /** What the page and its styles know of the stage.
   * @param {boolean} over
   */
  tellPage(over) {
    const { controller } = this;
    const { sides, player } = controller;
    const { head } = player;
    const { stale } = this;
    this.toggleAttribute("data-stale", stale);
    this.views[0]?.node.parentElement?.setAttribute("aria-disabled", String(stale)); // it is paler than what is read
    this.dataset.playing = String(head.playing);
    this.dataset.following = String(head.following);
    this.dataset.link = controller.link;
    this.dataset.state = over ? "finished" : sides.some(({ moments }) => moments.length > 1) ? "running" : "empty";
    const live = sides.some(({ source }) => source === "live");
    const going = controller.machine.in("press", "pressed") || controller.going || (live && !over && !controller.over);
    if (going) this.dataset.run = "going";
    else if (live && over) this.dataset.run = "over";
    else if (!live) delete this.dataset.run;
    // the greeting speaks of the recording that the page opened with, and of nothing else
    document.documentElement.toggleAttribute("data-met", controller.met);
    const [model] = controller.models;
    const foreign = !isOwn(model, controller.runs.home) && model !== controller.runs.choice[0];
    document.documentElement.toggleAttribute("data-foreign", foreign); // examples go back to the pair by themselves
    const [first, second] = controller.next?.sides ?? controller.sides;
    this.toggleAttribute("data-alone", first?.source !== "empty" && second?.source === "empty");
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
    const at = this.controller.player.at(0);
    const moment = first.moments[at];
    const key = `${first.session} ${at} ${playing}`;
    if (!moment || key === this.spoken) return;
    this.spoken = key;
    const says = this.says?.first ?? "";
    if (playing) this.announcer?.mention(t("{n} looks, {open} cells open.", { n: moment.passes, open: moment.open }));
    else if (moment.open === 0) this.announcer?.mention(`${t("Finished.")} ${textOf(first, at)} ${says}`);
    else
      this.announcer?.mention(
        t("Look {n}: {fresh} written, {open} open.", {
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
