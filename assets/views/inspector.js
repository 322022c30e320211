/** The drawer about one cell: candidates to choose from, how they rose and fell, and why one was written. */

import { beliefAt, because, lastBelief, placeOf, turning } from "./belief.js";
import { WordChart } from "./word_chart.js";
import { looksAt } from "./word_lines.js";
import { joins, shownAs, spoken } from "../looks/glyphs.js";
import { t } from "../looks/language.js";
import { percent, pieceOf } from "../cells/face.js";
import { html, render } from "../vendor/lit-html.js";
import { GIVEN, NOTHING, OPEN, OWN } from "../wire/canvas.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {{state: "none" | "asking" | "refused" | "known", why: string, answer: Record<string, any>}} Raw */
/** @typedef {{choose: (token: number) => void, jump: (moment: number) => void, close: () => void,
 * raw: (side: Side, at: number, place: number) => Raw | null}} Handlers */

const LEAST = "< 0.2 %"; // shares come in 255ths: less than half of one is none
const CONTEXT = 4; // words before and after it

export class Inspector {
  /**
   * @param {Handlers} handlers
   * @param {Node[]} reasons what can be asked about it
   */
  constructor(handlers, reasons) {
    this.handlers = handlers;
    this.reasons = reasons;
    this.chart = new WordChart((moment) => handlers.jump(moment));
    this.node = document.createElement("section");
    this.node.className = "inspector";
    this.node.hidden = true;
    this.node.dataset.of = "";
    this.node.setAttribute("aria-labelledby", "unmask-inspector");
  }

  /** @type {{owner: string, belief: ReturnType<typeof lastBelief>}} */
  shown = { owner: "", belief: null };

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
    const kind = moment.kinds[cell];
    // what somebody is about to press holds still while the run goes on
    const owner = `${side.session} ${side.of} ${cell}`;
    const hold =
      moving && this.shown.owner === owner && this.node.querySelector(".candidates:is(:hover, :focus-within)");
    const belief = hold ? this.shown.belief : knownBelief(side, at, cell);
    this.shown = { owner, belief };
    const raw = belief && !moving ? this.rawCandidates(side, at, cell, belief.at) : null;
    const candidates = raw?.candidates ?? belief?.candidates ?? [];
    const looks = belief && !raw ? looksAt(side, at, cell, belief) : [];
    this.chart.show(side, looks, candidates, token);
    this.node.hidden = false;
    this.node.dataset.of = String(cell);
    this.node.dataset.moment = String(at);
    this.node.dataset.known = belief ? "yes" : "no";
    const coming =
      side.source === "live" || side.of ? t("Asking …") : t("Only the words of this branch are still known.");
    const empty = candidates.length ? "" : t("The model was not asked about this cell in this look.");
    render(
      html`<header>
          <h3 id="unmask-inspector">
            ${kind === OPEN ? t("open") : spoken(pieceOf(side, token))}
            <small>${around(side, at, cell)}</small>
          </h3>
          <button class="quiet close" aria-label=${t("Close the inspector")} @click=${this.handlers.close}>×</button>
        </header>
        <p class="why">${because(side, at, cell)}</p>
        ${this.reasons}
        <div
          class="columns"
          data-chart=${looks.length > 1 ? "yes" : "no"}
          ?hidden=${(kind === GIVEN || kind === OWN) && !candidates.length /* the model is not asked about given words */}
        >
          <h4>
            ${
              looks.length > 1
                ? t("How its likeliest words rose and fell: press one to set it")
                : t("What else might be here: press one to set it")
            }
          </h4>
          <div class="likeliest">
            ${this.chart.node}
            <ol class="candidates" aria-label=${t("Candidates: press one to pin it")}>
              ${candidates.map((c, i, all) => this.candidate(c, i, token, isDouble(c, all)))}
            </ol>
          </div>
          <p class="none">${raw?.says || (belief ? empty : coming)}</p>
          <p class="hangs">${turning(side, at, cell)}</p>
          <details class="figures" ?hidden=${!belief || !candidates.length}>
            <summary>${t("In numbers")}</summary>
            <p>${belief ? figures(side, at, cell, belief) : ""} ${this.chart.breaks}</p>
          </details>
        </div>`,
      this.node,
    );
  }

  /** The candidates by the network's own probabilities, if they are wanted.
   * @param {Side} side
   * @param {number} at
   * @param {number} cell
   * @param {number} then the moment after the pass that is meant
   */
  rawCandidates(side, at, cell, then) {
    const found = this.handlers.raw(side, then, placeOf(side, at, cell, then));
    if (!found) return null;
    if (found.state !== "known") return { candidates: [], says: found.state === "asking" ? t("Asking …") : found.why };
    const rows = /** @type {[number, string, number][]} */ (found.answer.raw);
    return { candidates: rows.map(([token, piece, share]) => ({ token, piece, share })), says: "" };
  }

  /**
   * @param {import("./belief.js").Candidate} candidate
   * @param {number} which
   * @param {number} standing
   * @param {boolean} joined it reads as another one does, but goes on with the word before it
   */
  candidate({ token, piece, share }, which, standing, joined) {
    const word = { word: spoken(piece) };
    const light = () => this.chart.light(which);
    const dim = () => this.chart.light(-1);
    return html`<li>
      <button
        class=${token === standing ? "standing" : ""}
        title=${joined ? t("Pin {word} here, joined to the word before", word) : t("Pin {word} here", word)}
        data-token=${token}
        @click=${() => this.handlers.choose(token)}
        @pointerenter=${light}
        @focus=${light}
        @pointerleave=${dim}
        @blur=${dim}
      >
        <span class="piece">${joined ? "+" : ""}${shownAs(piece)}</span
        ><span class="bar" aria-hidden="true" style="--share: ${share}"></span>
        <span class="chance">${share > 0 ? percent(share) : LEAST}</span>
      </button>
    </li>`;
  }

  hide() {
    this.node.hidden = true;
    this.node.dataset.of = "";
  }
}

/** Where it is, how sure the model was, and when.
 * @param {Side} side
 * @param {number} at
 * @param {number} cell
 * @param {NonNullable<ReturnType<typeof lastBelief>>} belief
 */
function figures(side, at, cell, belief) {
  const look = side.moments[belief.at]?.passes ?? 0;
  const late = belief.at < at ? t("at look {look}", { look }) : "";
  const sure = { nats: belief.entropy.toFixed(2), margin: percent(belief.margin) };
  const known = Number.isNaN(belief.entropy) ? "" : t("entropy {nats} nats · margin {margin}", sure);
  return [t("place {n}", { n: cell }), late, known].filter(Boolean).join(" · ");
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
  return `${words(cell - CONTEXT, cell)} … ${words(cell + 1, cell + 1 + CONTEXT)}`;
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
