/** The ripple: while a person rests on another word, the text shows in ghost letters what would follow from it. */

import { t } from "../../assets/looks/language.js";
import { placeOf } from "../../assets/views/belief.js";
import { changeRequest, wordStart } from "../../assets/views/changes.js";
import { foreseen } from "./foreseen.js";
import { Ghosts } from "./ghosts.js";
import { costOf } from "../../assets/views/meters.js";
import { nameOf } from "../../assets/views/names.js";
import { OPEN } from "../../assets/wire/canvas.js";
import { reactive } from "../../assets/wire/reactive.js";
import { reopenRequest } from "../../assets/wire/request.js";

/** @typedef {import("../../assets/wire/canvas.js").Event} Event */
/** @typedef {import("./foreseen.js").Foreseen} Foreseen */
/** @typedef {{side: number, cell: number, token: number, text: string, at: number, key: string}} Rest */

const SLOW = 120; // ms without the whole answer after which the page says that the model looks
const RARELY = 400; // ms from one answer that is not complete to the next
const KEPT = 24; // previews that are kept for a second visit

export class Ripple {
  /**
   * @param {import("../../assets/stage/controller.js").Controller} controller
   * @param {Pick<import("../../assets/stage/side.js").SideView, "paper">[]} views
   */
  constructor(controller, views) {
    this.controller = controller;
    this.ghosts = views.map(({ paper }) => new Ghosts(paper));
    controller.listeners.add((event) => this.hear(event));
  }

  state = reactive({
    rest: /** @type {Rest | null} */ (null),
    answer: /** @type {{event: Event, text: Foreseen} | null} */ (null),
    late: false,
  });
  /** @type {Map<string, {event: Event, text: Foreseen}>} answers that are complete */
  kept = new Map();
  /** @type {{event: Event, text: Foreseen} | null} what is known before anybody has waited long */
  early = null;
  drawn = 0; // when an answer was shown
  id = "";
  count = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer = undefined;
  /** @type {(text: string) => void} */
  announce = () => {};

  /** The word that a person rests on. */
  get rest() {
    return this.state.rest;
  }

  /** A person rests on another word for one that stands.
   * @param {number} number
   * @param {number} cell
   * @param {{token: number, text: string}} word
   */
  show(number, cell, { token, text }) {
    const { controller } = this;
    const side = controller.side(number);
    const at = controller.player.at(number);
    const moment = side.moments[at];
    const { playing } = controller.player.head;
    if (!moment || side.of || controller.link !== "open" || (playing && !side.done)) return this.hide();
    if (side.source === "replay" && !(controller.names.length && controller.models.length)) return this.hide();
    const key = [side.session, side.branch, side.moments.length, at, cell, token].join();
    if (this.rest?.key === key) return;
    this.hide();
    this.state.rest = { side: number, cell: wordStart(side, at, cell), token, text, at, key };
    const known = this.kept.get(key);
    if (known) return this.answered(known);
    this.id = `ripple-${++this.count}`;
    this.timer = setTimeout(() => {
      this.state.late = true;
      if (this.early) this.answered(this.early);
    }, SLOW);
    controller.connection.send({ ...this.request(side, number, at, cell, token), id: this.id });
  }

  /**
   * The preview of what choosing the word would ask for.
   * @param {import("../../assets/wire/store.js").Side} side
   * @param {number} number
   * @param {number} at
   * @param {number} cell
   * @param {number} token
   */
  request(side, number, at, cell, token) {
    const { controller } = this;
    const { at_moment = at, keep, ...pin } = changeRequest(side, at, cell, { token });
    const wanted = { do: "preview", at: at_moment, edits: [pin], ...(keep && { keep }) };
    if (side.source === "live") return { ...wanted, session: side.session };
    const moments = controller.sides.map(({ moments: row }) => row.length - 1);
    const { sides, ...open } = reopenRequest(controller.sides, controller.models, "", moments);
    return { ...wanted, open: { ...open, sides: [sides[number]] }, weights: side.head.model?.weights ?? "" };
  }

  /** The person looks elsewhere: nothing is shown, and nothing is computed any more. */
  hide() {
    clearTimeout(this.timer);
    const { id } = this;
    this.id = "";
    if (id && this.controller.link === "open") this.controller.connection.send({ do: "preview" });
    if (!this.rest) return;
    this.early = null;
    this.state.rest = null;
    this.state.answer = null;
    this.state.late = false;
  }

  /** What the server foresees, or that it does not.
   * @param {Event} event
   */
  hear(event) {
    const { rest, controller } = this;
    if (!rest || event.id !== this.id) return;
    if (event.did === "refused") {
      this.id = "";
      return this.hide();
    }
    if (event.did !== "previewed") return;
    const answer = { event, text: foreseen(controller.side(rest.side), rest.at, event) };
    if (!event.done && !this.state.late) return void (this.early = answer); // the whole is about to come
    if (!event.done && performance.now() - this.drawn < RARELY) return;
    if (event.done) {
      clearTimeout(this.timer);
      this.id = "";
      this.kept.set(rest.key, answer);
      for (const key of [...this.kept.keys()].slice(0, -KEPT)) this.kept.delete(key);
    }
    this.answered(answer);
    controller.frames.now();
  }

  /** @param {{event: Event, text: Foreseen}} answer */
  answered(answer) {
    this.state.answer = answer;
    this.drawn = performance.now();
    const { words } = answer.text;
    if (!answer.event.done) return;
    const says = followSentence(words.length, true);
    this.announce(words.length ? `${says}: ${words.join(" ")}.` : `${says}.`);
  }

  /** With each frame. */
  draw() {
    this.ghosts.forEach((ghosts, number) => {
      const { words, thinks, between } = this.of(number);
      ghosts.show(words, thinks, between);
    });
  }

  /** The ghosts of a side, by cell, and the cells that are looked at again.
   * @param {number} number
   * @returns {{words: ReadonlyMap<number, string>, thinks: ReadonlySet<number>, between?: Foreseen["between"]}}
   */
  of(number) {
    const { rest, answer, late } = this.state;
    if (!rest || rest.side !== number || this.foreign(number, answer)) return { words: new Map(), thinks: new Set() };
    if (answer) {
      const { ghosts, thinks, between } = answer.text;
      return { words: ghosts, thinks, between };
    }
    return { words: new Map([[rest.cell, rest.text]]), thinks: late ? this.reopened(rest) : new Set() };
  }

  /** Whether the run is somebody else's, who may not let this person change it.
   * @param {number} number
   * @param {unknown} answer
   */
  foreign(number, answer) {
    return !answer && this.controller.others.has(this.controller.side(number).session);
  }

  /** The cells that would be open again.
   * @param {Rest} rest
   */
  reopened({ side: number, at, cell, token }) {
    const side = this.controller.side(number);
    const { at_moment = at } = changeRequest(side, at, cell, { token });
    const before = side.moments[at_moment];
    const cells = [...(side.moments[at]?.tokens.keys() ?? [])];
    const isOpen = (/** @type {number} */ one) => before?.kinds[placeOf(side, at, one, at_moment)] === OPEN;
    return new Set(cells.filter((one) => one !== cell && isOpen(one)));
  }

  /** What would follow, in a few words; empty before there is anything to wait for. */
  get says() {
    const { rest, answer, late } = this.state;
    if (!rest) return "";
    if (answer) return followSentence(answer.text.words.length, answer.event.done);
    if (!late) return "";
    const look = costOf(this.controller.side(rest.side), rest.at).thinking / 1000;
    return look >= 0.1
      ? t("it looks again, about {n} s …", { n: look < 10 ? look.toFixed(1) : Math.round(look) })
      : t("it looks again …");
  }

  /** What the head of another side says meanwhile.
   * @param {number} number
   */
  stands(number) {
    const { rest } = this;
    const side = this.controller.side(number);
    if (!rest || rest.side === number || side.source === "empty") return "";
    return nameOf(side, number) === t("One word after another") ? t("stands: it never goes back") : t("stands");
  }
}

/**
 * @param {number} many
 * @param {boolean} over
 */
function followSentence(many, over) {
  if (!over && many > 1) return t("so far {n} more would follow", { n: many });
  if (!over) return many ? t("so far one more would follow") : t("it looks again …");
  if (!many) return t("nothing else would change");
  return many === 1 ? t("one more would follow") : t("{n} more would follow", { n: many });
}
