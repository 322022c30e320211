/** The sentence under the player, and beside it what a person must know or may want next. */

import { modelledSentence, shortSentence } from "../clock/sentence.js";
import { worksOf } from "../clock/fed_tokens.js";
import { html, render } from "../vendor/lit-html.js";
import { t } from "../looks/language.js";
import { spokenName } from "../views/sentence.js";
import { sentenceOf, summaryOf } from "../views/summary.js";
import { lateFindings } from "../views/late_findings.js";
import { labelOf } from "../ask/offers.js";
import { linkNotice, passSentence, progressOf } from "./status.js";

/** What is said of a text that makes little sense, and a prompt that works better.
 * @param {import("./controller.js").Controller} controller
 * @param {number[]} at
 */
function nonsenseOf(controller, at) {
  const found = controller.sides.map((side, i) => controller.nonsense.of(side, at[i] ?? 0));
  const first = found.find((one) => one);
  if (!first) return null;
  const [offer] = first.offers;
  const go = () => offer && controller.runs.take(offer);
  return {
    text: t("This text makes little sense: the model is guessing."),
    offer: offer ? { text: t("Try “{prompt}”", { prompt: labelOf(offer) }), go } : null,
  };
}

export class Says {
  /**
   * @param {import("./controller.js").Controller} controller
   * @param {() => void} openClock
   */
  constructor(controller, openClock) {
    this.controller = controller;
    this.openClock = openClock;
    this.node = document.createElement("p");
    this.node.className = "say";
  }

  /**
   * @param {boolean} over
   * @param {boolean} changed whether a person went back in a run and changed it
   * @param {boolean} stale whether another prompt is in its field than the one that is shown
   * @param {boolean} slip whether a change can be undone beside its word
   */
  show(over, changed, stale, slip) {
    const { controller } = this;
    const at = controller.sides.map((_, i) => controller.player.at(i));
    const [one, two] = controller.sides.map((side, i) => summaryOf(side, i, at[i] ?? 0));
    if (!one || !two) return;
    const says = sentenceOf(controller, at, over);
    const waited =
      linkNotice(controller.link) ||
      progressOf(
        controller.runs.pending
          ? controller.loading !== null
          : controller.next !== null && !controller.steering.changing,
        controller.coming.length > 0,
        controller.loading,
        controller.models,
      );
    const senseless = changed ? null : nonsenseOf(controller, at);
    const noted = controller.notice.text;
    const slow =
      !over && controller.player.slowly && controller.player.speed === 0
        ? passSentence(controller.side(0), controller.player.at(0))
        : "";
    const before = stale ? t("These texts belong to the prompt before. Press Run for yours.") : "";
    const checked =
      over && !changed && lateFindings(controller.side(0))?.findingsSentence(controller.side(0), at[0] ?? 0);
    const notice = waited || noted || before || checked || senseless?.text || slow;
    const next = stale ? null : (controller.runs.sequel() ?? this.another(over && !noted, two));
    const undo = changed && !slip ? { text: t("Undo"), go: () => controller.undo.back() } : null;
    const offer = controller.notice.action ?? (changed ? undo : (senseless?.offer ?? next));
    const modelled = notice || changed || !over ? "" : this.modelled([one, two]);
    const local = Boolean(one.remote) === Boolean(two.remote);
    const shared = local && (one.cost.shared || two.cost.shared); // modelled times hold all the same, and say enough
    render(
      this.sentence({
        first: says.first,
        second: modelled && shared ? "" : says.second,
        notice,
        refused: controller.notice.refused || controller.link !== "open",
        modelled,
        offer,
      }),
      this.node,
    );
  }

  /**
   * @param {object} now
   * @param {import("../views/sentence.js").Part[]} now.first
   * @param {string} now.second
   * @param {string} now.notice said instead of the second half
   * @param {boolean} now.refused
   * @param {string} now.modelled
   * @param {{text: string, go: () => void, quiet?: boolean} | null} now.offer
   */
  sentence({ first, second, notice, refused, modelled, offer }) {
    // a new text node each time: the browser would count a reused one as a layout shift
    const part = (/** @type {import("../views/sentence.js").Part} */ { text, as }) =>
      as ? html`<strong class=${as} .textContent=${text}></strong>` : html`<span .textContent=${text}></span>`;
    const name = t("Choose the clock");
    return html`<span class="first">${first.map(part)}</span
      ><span class="second" .textContent=${notice ? "" : second}></span>
      <span class="modelled"
        ><span>${modelled}</span
        ><button
          type="button"
          class="clock"
          aria-label=${name}
          title=${name}
          ?hidden=${!modelled}
          @click=${this.openClock}
        >
          ▸
        </button></span
      ><span class=${refused ? "status refused" : "status"} role="status">${notice}</span
      ><button
        type="button"
        class=${offer?.quiet ? "offer quiet" : "offer"}
        ?hidden=${!offer}
        @click=${() => offer?.go()}
      >
        ${offer?.text ?? ""}
      </button>`;
  }

  /** The first half, as it is read out. */
  get first() {
    return this.node.querySelector(".first")?.textContent ?? "";
  }

  /** What another machine would take for what is there; empty where that says nothing.
   * @param {[import("../views/sentence.js").Summary, import("../views/sentence.js").Summary]} sides
   */
  modelled([one, two]) {
    const { controller } = this;
    const there = [one, two].flatMap((summary, number) => (summary.absent ? [] : [{ ...summary, number }]));
    const [first, other] = there;
    const clock = first && controller.player.chosen.of(controller.side(first.number));
    if (!clock || there.some(({ cost }) => cost.failed) || (one.gaps && two.causal)) return "";
    const run = (/** @type {typeof first} */ { cost, number }) => ({
      works: worksOf(controller.side(number)).flatMap((work) => work ?? []),
      tokens: cost.tokens,
    });
    if (!other) return modelledSentence(clock.machine, run(first), null);
    return shortSentence(clock.machine, run(first), run(other), [spokenName(one), spokenName(two)]);
  }

  /** A model that thinks alone: another may stand beside it.
   * @param {boolean} over
   * @param {{absent: boolean}} second
   */
  another(over, { absent }) {
    const { models } = this.controller;
    const alone = over && absent && models.length === 1 && document.querySelector("unmask-models");
    return alone
      ? {
          text: t("Compare it with …"),
          go: () => document.dispatchEvent(new CustomEvent("unmask-models", { detail: true })),
        }
      : null;
  }
}
