/** The drawer about one cell: candidates to choose from, how they rose and fell, and why one was written. */

import { beliefAt, because, lastBelief, placeOf, turning } from "./belief.js";
import { looksAt, WordChart } from "./word_chart.js";
import { el, say } from "../looks/dom.js";
import { joins, shownAs, spoken } from "../looks/glyphs.js";
import { t } from "../looks/language.js";
import { percent, pieceOf } from "../cells/face.js";
import { GIVEN, NOTHING, OPEN, OWN } from "../wire/canvas.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {{choose: (token: number) => void, jump: (moment: number) => void, close: () => void}} Handlers */

const LEAST = "< 0.2 %"; // shares come in 255ths: less than half of one is none
const CONTEXT = 4; // words before and after it

export class Inspector {
  /**
   * @param {Handlers} handlers
   * @param {HTMLElement} reasons what can be asked about it
   */
  constructor(handlers, reasons) {
    this.handlers = handlers;
    this.title = el("h3", { id: "unmask-inspector" });
    this.why = el("p", { className: "why" });
    this.turned = el("p", { className: "hangs" });
    this.heading = el("h4", {});
    this.candidates = el("ol", { className: "candidates", "aria-label": t("Candidates: press one to pin it") });
    this.numbers = el("p", { className: "figures" });
    this.chart = new WordChart((moment) => handlers.jump(moment));
    this.none = el("p", { className: "none" });
    this.columns = el(
      "div",
      { className: "columns" },
      this.heading,
      el("div", { className: "likeliest" }, this.chart.node, this.candidates),
      this.none,
      this.turned,
      this.chart.breaks,
      this.numbers,
    );
    this.node = el(
      "section",
      { className: "inspector", hidden: true, "aria-labelledby": "unmask-inspector", "data-of": "" },
      el(
        "header",
        {},
        this.title,
        el(
          "button",
          { className: "quiet close", "aria-label": t("Close the inspector"), onclick: () => handlers.close() },
          "×",
        ),
      ),
      this.why,
      reasons,
      this.columns,
    );
  }

  /** @type {{owner: string, key: string, belief: ReturnType<typeof lastBelief>}} */
  shown = { owner: "", key: "", belief: null };

  /**
   * @param {Side} side
   * @param {number} at
   * @param {number} cell
   * @param {boolean} moving time goes on by itself
   */
  show(side, at, cell, moving) {
    const moment = side.moments[at];
    if (!moment || cell >= moment.tokens.length) return;
    const token = moment.tokens[cell] ?? NOTHING;
    const holds = moment.kinds[cell] === OPEN ? t("open") : spoken(pieceOf(side, token));
    this.node.hidden = false;
    this.node.dataset.of = String(cell);
    this.node.dataset.moment = String(at);
    this.title.replaceChildren(
      holds,
      " ",
      el("small", {}, t("place {n}: {before} … {after}", { n: cell, ...around(side, at, cell) })),
    );
    say(this.why, because(side, at, cell));
    say(this.turned, turning(side, at, cell));
    // what somebody is about to press holds still while the run goes on
    const owner = `${side.session} ${side.of} ${cell}`;
    const still = moving && this.shown.owner === owner && this.candidates.matches(":hover, :focus-within");
    const belief = still ? this.shown.belief : knownBelief(side, at, cell);
    this.node.dataset.known = belief ? "yes" : "no";
    const key = `${owner} ${belief?.at} ${token}`;
    if (key !== this.shown.key)
      this.candidates.replaceChildren(
        ...(belief?.candidates ?? []).map((c, i, all) => this.candidate(c, i, token, isDouble(c, all))),
      );
    const looks = belief ? looksAt(side, at, cell, belief) : [];
    this.chart.show(side, looks, belief?.candidates ?? [], token);
    this.columns.dataset.chart = looks.length > 1 ? "yes" : "no";
    say(
      this.heading,
      looks.length > 1
        ? t("How its likeliest words rose and fell: press one to set it")
        : t("What else might be here: press one to set it"),
    );
    this.shown = { ...this.shown, owner, key, belief };
    const empty = belief && !belief.candidates.length;
    const kind = moment.kinds[cell];
    this.columns.hidden = (kind === GIVEN || kind === OWN) && !belief?.candidates.length; // the model is not asked about given words
    const coming =
      side.source === "live" || side.of ? t("Asking …") : t("Only the words of this branch are still known.");
    say(this.none, belief ? (empty ? t("The model was not asked about this cell in this look.") : "") : coming);
    const late =
      belief && belief.at < at ? `${t("at look {look}", { look: side.moments[belief.at]?.passes ?? 0 })} · ` : "";
    const numbers = belief?.candidates.length
      ? `${late}${t("entropy {nats} nats · margin {margin}", { nats: belief.entropy.toFixed(2), margin: percent(belief.margin) })}`
      : "";
    say(this.numbers, numbers);
  }

  /**
   * @param {import("./belief.js").Candidate} candidate
   * @param {number} which
   * @param {number} standing
   * @param {boolean} joined it reads as another one does, but goes on with the word before it
   */
  candidate({ token, piece, share }, which, standing, joined) {
    const name = el("span", { className: "piece" }, `${joined ? "+" : ""}${shownAs(piece)}`);
    const bar = el("span", { className: "bar", "aria-hidden": "true" });
    bar.style.setProperty("--share", String(share));
    const chance = el("span", { className: "chance" }, share > 0 ? percent(share) : LEAST);
    const press = () => this.handlers.choose(token);
    const look = token === standing ? "standing" : "";
    const title = joined
      ? t("Pin {word} here, joined to the word before", { word: spoken(piece) })
      : t("Pin {word} here", { word: spoken(piece) });
    const light = () => this.chart.light(which);
    const dim = () => this.chart.light(-1);
    const lit = { onpointerenter: light, onfocus: light, onpointerleave: dim, onblur: dim };
    return el(
      "li",
      {},
      el("button", { className: look, title, "data-token": token, onclick: press, ...lit }, name, bar, " ", chance),
    );
  }

  hide() {
    this.node.hidden = true;
    this.node.dataset.of = "";
  }
}

/** What was known of a word in the look that wrote it, and of an open cell the newest; a word that is still being asked
 * about shows the newest meanwhile.
 * @param {Side} side
 * @param {number} at
 * @param {number} cell
 * @returns {ReturnType<typeof lastBelief>}
 */
function knownBelief(side, at, cell) {
  const since = side.moments[at]?.since[cell] ?? 0;
  const place = since > 0 ? placeOf(side, at, cell, since) : NOTHING;
  const then = place >= 0 ? beliefAt(side, since, place) : null;
  return then?.candidates.length ? { at: since, ...then } : lastBelief(side, at, cell);
}

/** The words before and after a cell, a few of each.
 * @param {Side} side
 * @param {number} at
 * @param {number} cell
 */
function around(side, at, cell) {
  const moment = side.moments[at];
  const words = (/** @type {number} */ from, /** @type {number} */ to) =>
    Array.from(moment?.tokens.slice(Math.max(0, from), to) ?? [], (token, i) =>
      moment?.kinds[Math.max(0, from) + i] === OPEN || token === NOTHING ? " _" : pieceOf(side, token),
    )
      .join("")
      .replace(/\s+/g, " ")
      .trim();
  return { before: words(cell - CONTEXT, cell), after: words(cell + 1, cell + 1 + CONTEXT) };
}

/** Whether a candidate looks like another, and differs by what it is joined to.
 * @param {import("./belief.js").Candidate} one
 * @param {import("./belief.js").Candidate[]} all
 */
function isDouble(one, all) {
  return (
    joins(one.piece) && all.some(({ token, piece }) => token !== one.token && shownAs(piece) === shownAs(one.piece))
  );
}
