/** The one who presents: a code, a link, a picture of it for telephones; who is here, the questions, who may steer. */

import { addressFor } from "../links/link.js";
import { inSpacesFrame } from "../links/frame.js";
import { WORLDS } from "../lab/worlds.js";
import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { percent, pieceOf } from "../cells/face.js";
import { shownAs } from "../looks/glyphs.js";
import { saved } from "../takeaway/saved.js";
import { textEnd } from "../wire/timeline.js";
import { NOTHING, OPEN } from "../wire/canvas.js";
import { drawn } from "./board.js";
import { bars, csvOf, keptRows, Results } from "./results.js";
import { peopleSentence, questionSentence, sameView, spelledCode, standSentence, viewOf } from "./room.js";

const OFTEN = 200; // ms between two moments that are shown to the class
const KEPT = "unmask-class-answers"; // in this tab alone
const AGAIN = 2000; // while something recorded plays, where it stands is sent again

/** @typedef {import("../wire/canvas.js").Event} Event */
/** @typedef {import("../stage/controller.js").Controller} Unmask */

export class Presenter {
  /**
   * @param {Unmask} unmask
   * @param {(message: Record<string, any>) => void} send
   */
  constructor(unmask, send) {
    this.unmask = unmask;
    this.send = send;
    /** @type {Event | null} */
    this.state = null;
    this.shown = "[]";
    /** @type {{number: number, at: number, cell: number} | null} what is asked about an earlier pass */
    this.pending = null;
    /** @type {import("./room.js").View | null} */
    this.view = null;
    this.shownAnswers = "";
    this.shownAt = 0;
    this.code = el("strong", { className: "class-code" });
    this.link = el("input", { type: "text", readOnly: true, "aria-label": t("Link to the class") });
    this.picture = el("img", { className: "class-qr", alt: t("The link as a picture for telephones") });
    this.people = el("p", { role: "status" });
    this.list = el("ul", { className: "class-people" });
    this.question = el("p", { role: "status", className: "class-asking" });
    this.results = new Results();
    document.body.append(this.results.node);
    /** @type {import("./results.js").Kept[][]} the answers to each question of this class, without names */
    this.kept = kept(KEPT);
    this.cellButton = button(t("Which cell is next?"), () => this.ask("cell"));
    this.wordButton = button(t("Which word comes here?"), () => this.ask("word"));
    this.reveal = button(t("Show the answers"), () => send({ do: "reveal" }));
    this.withdraw = button(t("Take the question back"), () => send({ do: "withdraw" }));
    this.why = el("p", { className: "class-why" });
    this.save = button(t("Save the answers (CSV)"), () => saved("class.csv", "text/csv", csvOf(this.kept)));
    this.ranking = el("ol", { className: "class-ranking" });
    this.world = el(
      "select",
      { "aria-label": t("What is written"), onchange: () => this.offer() },
      ...Object.entries(WORLDS).map(([value, { title }]) => el("option", { value }, t(title))),
    );
    this.passes = el("select", { "aria-label": t("In how many looks") });
    this.offer();
    this.freeze = button(t("Freeze all screens"), () => send({ do: "freeze", on: !this.state?.frozen }));
    this.node = el(
      "div",
      { className: "class-panel" },
      el("p", {}, t("Others follow at")),
      this.code,
      this.link,
      this.picture,
      this.people,
      el("h3", {}, t("Ask the class")),
      el("div", { className: "class-row" }, this.cellButton, this.wordButton, this.reveal, this.withdraw),
      this.why,
      el("h4", {}, t("Beat the schedule")),
      el(
        "div",
        { className: "class-row" },
        this.world,
        this.passes,
        button(t("Start the game"), () => this.compete()),
      ),
      this.question,
      this.ranking,
      this.save,
      el("h3", {}, t("Who may steer")),
      this.freeze,
      this.list,
      button(t("End the class"), () => send({ do: "dismiss" }), "class-end"),
    );
  }

  /** @param {Event} state */
  hear(state) {
    const fresh = this.state?.room !== state.room;
    this.state = state;
    if (fresh) {
      /** @type {HTMLElement | null} */
      const links = document.querySelector("unmask-links");
      const space = JSON.parse(links?.dataset.space ?? '""');
      const link = `${addressFor(location.href, space, inSpacesFrame())}#class=${state.room}`;
      this.code.textContent = spelledCode(String(state.room));
      this.link.value = link;
      const picture = new URL("unmask/qr.svg", document.baseURI);
      picture.searchParams.set("text", link);
      this.picture.src = picture.href;
    }
    say(this.people, peopleSentence(state.people));
    this.freeze.setAttribute("aria-pressed", String(state.frozen));
    say(this.freeze, state.frozen ? t("Let all screens go") : t("Freeze all screens"));
    const { question, revealed } = state;
    if (question) say(this.question, questionLine(question, state.people));
    else if (!revealed) say(this.question, t("Pause where it is interesting, then ask."));
    else if (revealed.kind === "schedule") say(this.question, standSentence(revealed));
    else say(this.question, t("{n} answered, {correct} right.", { n: revealed.answers, correct: revealed.correct }));
    this.keep(revealed);
    this.rank(revealed?.kind === "schedule" ? (state.ranking ?? []) : [], revealed?.world ?? "");
    this.list.replaceChildren(...(state.seats ?? []).map((/** @type {any} */ seat) => this.row(seat)));
  }

  /** @param {{seat: string, name: string, right: string}} row */
  row({ seat, name, right }) {
    const steers = right === "steer";
    const give = () => this.send({ do: "hand", to: seat, right: steers ? "watch" : "steer" });
    const hand = button(steers ? t("Take the pins back") : t("Hand over the pins"), give);
    hand.setAttribute("aria-pressed", String(steers));
    return el("li", {}, el("span", {}, name || t("somebody")), hand);
  }

  /** @param {"cell" | "word"} kind */
  ask(kind) {
    const { unmask } = this;
    const { side, cell } = unmask.selection;
    const number = kind === "word" ? side : 0;
    unmask.player.pause();
    const { session, moments } = unmask.side(number);
    const at = unmask.player.at(number);
    const past = at < moments.length - 1;
    this.pending = past ? { number, at, cell: kind === "word" ? cell : NOTHING } : null;
    this.send({ do: "question", kind, session, cell: kind === "word" ? cell : -1, ...(past && { at }) });
  }

  /** Which questions can be asked now; a button that is disabled says why below. */
  offers() {
    const { side, cell } = this.unmask.selection;
    const cannot = { cell: this.cannot("cell", 0, NOTHING), word: this.cannot("word", side, cell) };
    this.cellButton.disabled = cannot.cell !== "";
    this.wordButton.disabled = cannot.word !== "";
    this.reveal.disabled = this.withdraw.disabled = !this.state?.question;
    this.save.hidden = !this.kept.length;
    say(this.why, cannot.cell || cannot.word);
  }

  /**
   * Why a question cannot be asked now; empty if it can.
   * @param {"cell" | "word"} kind
   * @param {number} number of the side
   * @param {number} cell
   */
  cannot(kind, number, cell) {
    const { unmask } = this;
    const side = unmask.side(number);
    const moment = side.moments[unmask.player.at(number)];
    if (side.source !== "live" || !moment) return t("Run something first: the class answers about a live run.");
    const open = moment.kinds.some((one, at) => one === OPEN && at < textEnd(moment, side.head.ends ?? []));
    if (!open) return t("Every word is written here: go back to an earlier look, and ask.");
    if (kind === "word" && (cell === NOTHING || moment.kinds[cell] !== OPEN))
      return t("To ask for a word, click an open cell first.");
    return "";
  }

  /** The answers to a question: large on the screen, and kept for the table.
   * @param {any} revealed
   */
  keep(revealed) {
    if (!revealed || revealed.kind === "schedule") {
      if (!revealed) this.results.close();
      return;
    }
    const key = JSON.stringify(revealed);
    if (key === this.shownAnswers) return;
    this.shownAnswers = key;
    const number = Math.max(
      0,
      this.unmask.sides.findIndex(({ session }) => session === revealed.session),
    );
    const side = this.unmask.side(number);
    const after = side.moments.find(({ kind }, at) => at > revealed.at && kind === "pass") ?? side.moments.at(-1);
    const rows = bars(revealed, (cell) => shownAs(pieceOf(side, after?.tokens[cell] ?? NOTHING)).trim());
    this.results.show(questionSentence(revealed), rows);
    const { session, at, kind } = revealed;
    const known = this.kept.findIndex(
      ([first]) => first !== undefined && first.session === session && first.at === at && first.kind === kind,
    );
    const made = keptRows(revealed, rows);
    if (known >= 0) this.kept[known] = made;
    else this.kept.push(made);
    sessionStorage.setItem(KEPT, JSON.stringify(this.kept));
  }

  /** The class is over. */
  leave() {
    this.results.node.remove();
    sessionStorage.removeItem(KEPT);
  }

  /** A question about an earlier pass is answered when the presenter goes on to the pass that tells. */
  tell() {
    const { pending, unmask } = this;
    if (!pending || !this.state?.question) return;
    const now = unmask.player.at(pending.number);
    const moment = unmask.side(pending.number).moments[now];
    if (!moment || now <= pending.at || (pending.cell !== NOTHING && moment.kinds[pending.cell] === OPEN)) return;
    this.pending = null;
    this.send({ do: "reveal" });
  }

  /** How many passes a schedule of this world may have. */
  offer() {
    const { cells, passes } = WORLDS[this.world.value] ?? { cells: 4, passes: 3 };
    const most = Math.min(9, cells - 1); // one cell a pass would always be right
    const counts = Array.from({ length: most - 1 }, (_, at) => at + 2);
    this.passes.replaceChildren(
      ...counts.map((n) => el("option", { value: String(n), selected: n === passes }, t("in {n} looks", { n }))),
    );
  }

  compete() {
    this.send({ do: "question", kind: "schedule", world: this.world.value, passes: Number(this.passes.value) });
  }

  /**
   * @param {{name: string, place: number, digits: string, share: number}[]} rows
   * @param {string} world
   */
  rank(rows, world) {
    this.ranking.hidden = !rows.length;
    this.ranking.replaceChildren(
      ...rows.map(({ name, place, digits, share }) =>
        el(
          "li",
          { value: place },
          el("span", {}, name || t("somebody")),
          el("strong", {}, percent(share)),
          drawn(digits, world),
        ),
      ),
    );
  }

  /** Called with every painting: which runs stand on the stage, and which moment. */
  watch() {
    const { unmask } = this;
    if (!this.state) return;
    this.offers();
    this.tell();
    const sessions = unmask.sides.filter(({ source, keys }) => source === "live" && keys.own).map((s) => s.session);
    const names = JSON.stringify(sessions);
    if (names !== this.shown) {
      this.shown = names;
      this.view = null;
      this.send({ do: "show", sessions });
    }
    const view = viewOf(unmask.player.head, unmask.player.speed);
    const since = performance.now() - this.shownAt;
    const moves = view.playing && !view.following;
    if (since < OFTEN || (sameView(this.view, view) && !(moves && since > AGAIN))) {
      if (!sameView(this.view, view)) setTimeout(() => this.unmask.frames.redraw(), OFTEN);
      return;
    }
    this.view = view;
    this.shownAt = performance.now();
    this.send({ do: "view", ...view });
  }
}

/** @param {string} name */
function kept(name) {
  return /** @type {import("./results.js").Kept[][]} */ (JSON.parse(sessionStorage.getItem(name) ?? "[]"));
}

/**
 * @param {string} text
 * @param {() => void} onclick
 * @param {string} [className]
 */
function button(text, onclick, className = "") {
  return el("button", { type: "button", className, onclick }, text);
}

/** How many have answered, and what shows the answers.
 * @param {import("./room.js").Question | import("./room.js").Game} question
 * @param {number} people
 */
function questionLine({ kind, answers }, people) {
  const values = { n: answers, people };
  return kind === "schedule"
    ? t("{n} of {people} have handed in a schedule. Show the answers when you like.", values)
    : t("{n} of {people} have answered. Go on by one look to see.", values);
}
