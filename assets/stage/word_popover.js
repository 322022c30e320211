/** The popover of a word: the words that might stand there instead, and a word of one's own. */

import { t } from "../looks/language.js";
import { offered } from "../looks/features.js";
import { shownAs } from "../looks/glyphs.js";
import { pieceOf } from "../cells/face.js";
import { beliefAt, lastBelief, passBefore, placeOf } from "../views/belief.js";
import { changeIn, wordBefore } from "../views/changes.js";
import { GIVEN, NOTHING, OPEN, OWN, PINNED } from "../wire/canvas.js";
import { reactive } from "../wire/reactive.js";
import { Resting } from "./resting.js";
import { Slip } from "./slip.js";

/** @typedef {import("./controller.js").Controller} Controller */
/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("../views/changes.js").Change} Change */
/** @typedef {{side: number, cell: number, session: string, typing: boolean, typed: string}} About */

const LEAST = 0.005; // a less likely word is not offered
const MOST = 5;
const SURE = 0.5;

export class WordPopover {
  /**
   * @param {Controller} controller
   * @param {import("./side.js").SideView[]} views
   * @param {() => void} more opens the page of the chosen word
   * @param {(text: string) => void} announce
   */
  constructor(controller, views, more, announce) {
    this.controller = controller;
    this.views = views;
    this.more = more;
    this.slips = views.map(({ paper }) => new Slip(paper, () => this.controller.frames.redraw()));
    this.announce = announce;
    this.resting = new Resting(
      (/** @type {import("./slip.js").Choice} */ word) => this.rests(word),
      () => this.rests(null),
    );
  }

  state = reactive({ about: /** @type {About | null} */ (null) });

  /** The word that it is open for. */
  get about() {
    return this.state.about;
  }

  get shown() {
    return this.about !== null;
  }

  /**
   * @param {number} side
   * @param {number} cell
   * @param {string} [typed] the first letter of a word of one's own
   */
  open(side, cell, typed = "") {
    const { session } = this.controller.side(side);
    void this.load();
    if (this.about && this.about.side !== side) this.close();
    this.state.about = { side, cell, session, typing: typed !== "", typed };
  }

  /** @type {import("../looks/features.js").Preview | null} */
  preview = null;
  /** @type {Promise<void> | undefined} */
  loading;
  /** @type {import("./slip.js").Choice | null} that a person rests on */
  rested = null;

  /** What shows what would follow from a word, if a feature does. */
  load() {
    this.loading ??= offered("preview").then(([Preview]) => {
      if (!Preview) return;
      this.preview = new Preview(this.controller, this.views);
      this.preview.announce = this.announce;
      this.rests(this.rested);
      this.controller.frames.redraw();
    });
    return this.loading;
  }

  /** A person rests on a word: what would follow from it is shown; on none, nothing is.
   * @param {import("./slip.js").Choice | null} word
   */
  rests(word) {
    const { about, preview } = this;
    this.rested = word;
    if (!about || !word || word.standing) return preview?.hide();
    preview?.show(about.side, about.cell, word);
  }

  close() {
    if (!this.about) return;
    this.resting.leave();
    this.slips[this.about.side]?.close();
    this.state.about = null;
  }

  show() {
    this.popover();
    this.preview?.draw();
  }

  popover() {
    const { controller, about, preview } = this;
    if (!about) return;
    const side = controller.side(about.side);
    const at = controller.player.at(about.side);
    const moment = side.moments[at];
    const slip = this.slips[about.side];
    if (!moment || !slip || about.cell >= moment.tokens.length || side.session !== about.session) return this.close();
    const { cell } = about;
    const change = changeIn(side, at, cell);
    if (preview?.rest && (preview.rest.at !== at || controller.link !== "open")) preview.hide();
    const kind = moment.kinds[cell] ?? OPEN;
    const changes = kind !== GIVEN;
    const token = standing(side, at, cell);
    const set = change ? change.cells.map((one) => pieceOf(side, moment.tokens[one] ?? NOTHING)).join("") : "";
    const word = token === NOTHING ? t("open") : shownAs(set || pieceOf(side, token));
    slip.popover(cell, `${about.side} ${cell} ${about.session}`, {
      word,
      says:
        changes && preview && matchMedia("(hover: none)").matches
          ? t("hold a word to see what follows")
          : saysOf(side, at, cell),
      changes,
      choices: changes ? this.choices(side, at, cell, change) : [],
      takeBack: change && (() => this.takeBack(change)),
      resting: this.resting,
      lit: preview?.rest ?? null,
      follows: preview?.says ?? "",
      typed: about.typed,
      typing: about.typing,
      type: () => {
        this.state.about = { ...about, typing: true };
        controller.frames.now();
      },
      set: (text) => this.set({ text }),
      more: () => {
        this.close();
        this.more();
      },
      close: () => {
        this.close();
        controller.leave();
      },
    });
  }

  /** @param {{token: number} | {text: string}} word */
  set(word) {
    const { about } = this;
    if (!about) return;
    this.close();
    this.views[about.side]?.focus(about.cell);
    this.controller.steering.replace(about.side, about.cell, word);
  }

  /** @param {Change} change */
  takeBack(change) {
    const { about } = this;
    if (!about) return;
    this.close();
    this.views[about.side]?.focus(about.cell);
    this.controller.steering.takeBack(about.side, change);
  }

  /** The words that were likeliest when this one was written, or the one that a person changed; null while the server is
   * asked.
   * @param {Side} side
   * @param {number} at
   * @param {number} cell
   * @param {Change | null} change that set it
   */
  choices(side, at, cell, change) {
    const before = wordBefore(side, change);
    const first = before ? standing(before.side, before.at, before.cell) : NOTHING;
    const found = before
      ? this.candidates(before.side, before.at, before.cell)
      : this.candidates(side, at, change?.cells[0] ?? cell);
    const token = standing(side, at, cell);
    return (
      found &&
      found.map((one) => ({
        token: one.token,
        text: shownAs(one.piece),
        share: one.share,
        standing: one.token === token,
        choose: () => (change && one.token === first ? this.takeBack(change) : this.set({ token: one.token })),
      }))
    );
  }

  /** The likeliest words for a cell; null while the server is asked.
   * @param {Side} side
   * @param {number} at
   * @param {number} cell
   */
  candidates(side, at, cell) {
    const moment = side.moments[at];
    const open = moment?.kinds[cell] === OPEN;
    const since = open ? at : passBefore(side, moment?.since[cell] ?? at);
    const place = placeOf(side, at, cell, since);
    const belief =
      (place >= 0 && since > 0 ? beliefAt(side, since, place) : null) ?? (open ? lastBelief(side, at, cell) : null);
    const known = side.of || (side.source === "live" && side.session);
    if (!belief && known && place >= 0 && since > 0) {
      this.controller.peeks.request(side, since, place);
      return null;
    }
    const token = standing(side, at, cell);
    return (belief?.candidates ?? []).filter((one) => one.share >= LEAST || one.token === token).slice(0, MOST);
  }
}

/** The token in a cell, or the guess for it where it is open.
 * @param {Side} side
 * @param {number} at
 * @param {number} cell
 */
function standing({ moments }, at, cell) {
  const moment = moments[at];
  return (moment?.kinds[cell] === OPEN ? moment.guess[cell] : moment?.tokens[cell]) ?? NOTHING;
}

/** In a few words, how a word came to stand there.
 * @param {Side} side
 * @param {number} at
 * @param {number} cell
 */
export function saysOf(side, at, cell) {
  const moment = side.moments[at];
  const kind = moment?.kinds[cell] ?? OPEN;
  if (kind === GIVEN) return t("part of the prompt");
  if (kind === OWN) return t("your own text");
  if (kind === PINNED) return t("your word");
  if (kind === OPEN) return t("still open");
  const look = side.moments[moment?.since[cell] ?? 0]?.passes ?? 0;
  const share = moment?.confidence[cell] ?? 0;
  if (Number.isNaN(share)) return t("written at look {n}", { n: look });
  const sure = share >= SURE;
  return sure ? t("written at look {n}, sure", { n: look }) : t("written at look {n}, not so sure", { n: look });
}
