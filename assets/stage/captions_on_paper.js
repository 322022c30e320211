/** The captions of a first visit, the invitation to change a word and what followed it, on the first side's paper. */

import { t } from "../looks/language.js";
import { NOTHING } from "../wire/canvas.js";
import { captionOf, invitedCell } from "../views/captions.js";
import { newestChange } from "../views/changes.js";
import { lateFindings } from "../views/late_findings.js";

const CAPTIONS = {
  guesses: "it guesses every word at once",
  keeps: "it keeps its best guesses",
  again: "and looks again",
  change: "change a word yourself: click one",
};

export class Captions {
  /** @param {import("./stage.js").Stage} stage */
  constructor(stage) {
    this.stage = stage;
  }

  invited = { session: "", cell: NOTHING, refused: false };
  beckons = NOTHING; // the cell that is pointed at
  tells = false; // what came of a change, with a way to undo it

  /**
   * @param {boolean} ahead
   * @param {boolean} over
   * @param {boolean} changed whether a person went back in this side's run and changed it
   */
  show(ahead, over, changed) {
    const { controller, wordPopover, views } = this.stage;
    const slip = wordPopover?.slips[0];
    const side = controller.side(0);
    if (!slip) return;
    const free =
      !this.stage.stale && !controller.machine.in("press", "pressed") && !controller.others.has(side.session);
    const may = side.source !== "empty" && !side.head.causal && free;
    if (over && this.invited.session !== side.session)
      this.invited = {
        session: side.session,
        cell: invitedCell(side, controller.player.at(0)),
        refused: this.invited.refused,
      };
    const invited =
      may &&
      !this.invited.refused &&
      this.invited.cell !== NOTHING &&
      !controller.selection.selected.length &&
      !this.stage.deep;
    const taught = document.documentElement.dataset.lessons !== undefined; // the lesson says what to do
    const which =
      may && !taught
        ? captionOf({
            first: controller.player.first && controller.player.head.playing,
            at: controller.player.at(0),
            ahead,
            over,
            invited,
            changed,
          })
        : "";
    const beckons = which === "change" ? this.invited.cell : NOTHING;
    if (beckons !== this.beckons) {
      for (const cell of [this.beckons, beckons])
        views[0]?.paper.cells[cell]?.place.toggleAttribute("data-invited", cell === beckons);
      this.beckons = beckons;
    }
    this.tells = which === "changed";
    const found = this.stage.stale ? "" : lateFindings(side)?.findingAt(side, controller.player.at(0));
    if (found)
      return slip.note(found, side.moments[controller.player.at(0)]?.event?.edit?.cells[0] ?? NOTHING, {
        look: " check",
      });
    if (!which) return slip.close();
    if (which === "changed") return this.changed(side, slip);
    const touched = which === "change" && matchMedia("(hover: none)").matches;
    const text = touched ? t("change a word yourself: tap one") : t(CAPTIONS[which]);
    if (which === "change") slip.note(text, this.invited.cell, { mine: true, close: () => this.refuse() });
    else slip.note(text, which === "guesses" ? NOTHING : (this.freshest ?? NOTHING), { skip: () => this.stage.skip() });
  }

  /** What came of the newest change, where it can be undone.
   * @param {import("../wire/store.js").Side} side
   * @param {import("./slip.js").Slip} slip
   */
  changed(side, slip) {
    const { cell, followed, words } = newestChange(side);
    const says = !words ? t("nothing else changed") : !followed ? t("your word") : "";
    const text = says || (words === 1 ? t("and this one followed") : t("one of {n} that followed", { n: words }));
    const undo = () => this.stage.controller.undo.back();
    slip.note(text, cell, { mine: true, undo });
  }

  /** A word in the middle of what the first looks wrote, for a caption to point at. */
  get freshest() {
    const side = this.stage.controller.side(0);
    const fresh = side.moments[1]?.fresh.filter((cell) => this.stage.views[0]?.paper.placed?.at[cell]) ?? [];
    return fresh[Math.floor(fresh.length / 3)];
  }

  get inviting() {
    return this.beckons !== NOTHING;
  }

  refuse() {
    this.invited.refused = true;
    this.stage.controller.frames.redraw();
  }
}
