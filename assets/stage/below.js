/** What stands below the stage once one looks deeper: numbers, steps, marks, and what one word or the next words can be asked. */

import { ClockPanel } from "../clock/panel.js";
import { pieceOf } from "../cells/face.js";
import { el } from "../looks/dom.js";
import { spoken } from "../looks/glyphs.js";
import { t } from "../looks/language.js";
import { sameWeights } from "../steer/card.js";
import { SteerBar } from "../steer/steerbar.js";
import { Inspector } from "../views/inspector.js";
import { Differences } from "../views/differences.js";
import { Legend } from "../views/legend.js";
import { Numbers } from "../views/numbers.js";
import { settingsAt } from "../wire/timeline.js";
import { GIVEN, NOTHING, PINNED } from "../wire/canvas.js";
import { nameOf } from "../views/names.js";
import { badgeOf, stateOf } from "./status.js";
import { Steps } from "./steps.js";

/** @typedef {import("./controller.js").Controller} Controller */

export class Below {
  /**
   * @param {Controller} controller
   * @param {import("./side.js").SideView[]} views
   * @param {import("../looks/features.js").Lens[]} lenses
   * @param {import("../looks/features.js").Ask[]} ways to take a side away
   */
  constructor(controller, views, lenses, ways) {
    this.controller = controller;
    this.views = views;
    this.lenses = lenses;
    const asks = [...lenses.flatMap((lens) => lens.asks), ...ways];
    this.numbers = views.map((_, number) => new Numbers(number, asks));
    this.clock = new ClockPanel(controller);
    this.steps = new Steps({
      step: (by) => controller.player.step(by),
      seek: (to) => controller.player.seek(to),
      pace: (index) => controller.player.setPace(index),
    });
    this.box = el("input", { type: "checkbox", onchange: () => controller.frames.redraw() });
    this.steer = new SteerBar((act, text) => {
      controller.steering.steer(act, text);
      if (act === "pin") views[controller.selection.side]?.focus(controller.selection.cell);
    });
    this.inspector = new Inspector(
      {
        choose: (token) => controller.steering.choose(token),
        jump: (moment) => controller.player.jump(controller.selection.side, moment),
        raw: (side, at, place) => lenses.map((lens) => lens.raw(side, at, place)).find(Boolean) ?? null,
        close: () => {
          controller.inspect(false);
          views[controller.selection.side]?.focus(controller.selection.cell);
        },
      },
      lenses.map(({ word }) => word),
    );
    this.differences = new Differences(controller);
    this.legend = new Legend(controller, this.box);
    const numbers = el("div", { className: "pair" }, ...this.numbers.map(({ node }) => node));
    this.hint = el(
      "p",
      { className: "hint" },
      t("Click a word of the text: why it is there, what else might be, and what you can do with it."),
    );
    this.word = [this.hint, this.inspector.node, this.steer.node];
    this.run = [
      this.differences.node,
      this.legend.node,
      folded("all-numbers", t("Every number, and the model"), numbers, ...lenses.map(({ run }) => run)),
      folded("whose-clock", t("Whose clock?"), this.clock.node),
      this.steps.node,
    ];
    this.node = el("section", { className: "below", hidden: true, "aria-label": t("This run") });
    this.node.append(...this.word, ...this.run); // where there is no dock
  }

  get marks() {
    return this.box.checked;
  }

  get inspecting() {
    return this.controller.inspecting;
  }

  /** Close what was opened last, if something is open.
   * @returns {boolean}
   */
  escape() {
    if (this.lenses.some((lens) => lens.close())) return true;
    if (!this.inspecting) return false;
    this.controller.inspect(false);
    return true;
  }

  /** Ask for what is not known of the inspected cell. */
  peek() {
    const { controller } = this;
    const { side: number, cell } = controller.selection;
    const side = controller.side(number);
    const known = side.of || (side.source === "live" && side.session);
    if (known && cell !== NOTHING) controller.peeks.request(side, controller.player.at(number), cell);
  }

  /** @param {boolean} seen */
  show(seen) {
    const { controller } = this;
    const { sides, selection } = controller;
    const { head } = controller.player;
    for (const lens of this.lenses) lens.show(controller.inspecting && selection.cell !== NOTHING);
    sides.forEach((side, number) => {
      const at = controller.player.at(number);
      const quality = controller.qualities.of(side, at);
      if (!seen) return;
      const weights = controller.server.here.size ? sameWeights(side.head.model, controller.server.here) : "";
      const state = stateOf(side, at, head.playing, controller.link, controller.loading);
      this.numbers[number]?.show(
        side,
        at,
        { name: nameOf(side, number), badge: badgeOf(side), state, weights },
        quality,
        controller.player.timedSide(number),
        controller.player.clock?.name ?? "",
      );
    });
    if (seen) {
      this.clock.show();
      this.differences.show();
      this.legend.show();
    }
    const number = selection.side;
    const side = controller.side(number);
    const kinds = selection.selected.map((cell) => side.moments[controller.player.at(number)]?.kinds[cell]);
    const { past, undone } = controller.undo;
    const one = selection.selected.length === 1 && !kinds.includes(GIVEN) ? selection.cell : NOTHING;
    const token = side.moments[controller.player.at(number)]?.tokens[one] ?? NOTHING;
    const { bans = [], boosts = {} } = settingsAt(side, controller.player.at(number));
    this.steer.aim(selection.selected, side.moments.length > 0, {
      word: token === NOTHING ? "" : spoken(pieceOf(side, token)),
      anywhere: bans.includes(token) ? "banned" : boosts[token] ? "likelier" : "plain",
      pinned: kinds.includes(PINNED),
      given: kinds.length > 0 && kinds.every((kind) => kind === GIVEN),
      undo: past.length > 0 || side.source === "live", // what others have changed, the server takes back
      redo: undone.length > 0,
    });
    this.steps.show(controller.player.speed);
    const open = controller.inspecting && selection.cell !== NOTHING;
    this.hint.hidden = open;
    if (open) {
      this.inspector.show(side, controller.player.at(number), selection.cell, head.playing);
      this.peek();
    } else this.inspector.hide();
  }
}

/** A part of the page that is opened when it is wanted.
 * @param {string} name
 * @param {string} title
 * @param {...Node} parts
 */
function folded(name, title, ...parts) {
  return el("details", { className: `folded ${name}` }, el("summary", {}, title), ...parts);
}
