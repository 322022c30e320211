/** The one who presents: a code, a link, a picture of it for telephones; who is here, the questions, who may steer. */

import { addressFor } from "../../assets/links/link.js";
import { inSpacesFrame } from "../../assets/links/frame.js";
import { WORLDS } from "../../assets/wire/schedule_game.js";
import { into } from "../../assets/looks/fields.js";
import { t } from "../../assets/looks/language.js";
import { percent, pieceOf } from "../../assets/cells/face.js";
import { shownAs } from "../../assets/looks/glyphs.js";
import { saved } from "../../assets/looks/saved.js";
import { textEnd } from "../../assets/wire/timeline.js";
import { NOTHING, OPEN } from "../../assets/wire/canvas.js";
import { html, render } from "../../assets/vendor/lit-html.js";
import { bars, csvOf, keptRows } from "./answers.js";
import { smallSchedule } from "./board.js";
import { upload } from "./recordings.js";
import { Results } from "./results.js";
import { peopleSentence, questionSentence, sameView, spelledCode, standSentence, viewOf } from "./room.js";

const OFTEN = 200; // ms between two moments that are shown to the class
const KEPT = "unmask-class-answers"; // in this tab alone
const AGAIN = 2000; // while something recorded plays, where it stands is sent again

/** @typedef {import("../../assets/wire/canvas.js").Event} Event */
/** @typedef {import("../../assets/stage/controller.js").Controller} Unmask */

export class Presenter {
  node = document.createElement("div");
  results = new Results();
  /** @type {Event | null} */
  state = null;
  shown = ""; // what the class sees
  key = ""; // of the class
  /** @type {{number: number, at: number, cell: number} | null} what is asked about an earlier pass */
  pending = null;
  /** @type {import("./room.js").View | null} */
  view = null;
  shownAnswers = "";
  shownAt = 0;
  link = "";
  world = Object.keys(WORLDS)[0] ?? "";
  passes = "";
  /** why a question cannot be asked now; empty where it can */
  cannot = { cell: "", word: "" };

  /**
   * @param {Unmask} unmask
   * @param {(message: Record<string, any>) => void} send
   */
  constructor(unmask, send) {
    this.unmask = unmask;
    this.send = send;
    this.node.className = "class-panel";
    document.body.append(this.results.node);
    /** @type {import("./answers.js").Kept[][]} the answers to each question of this class, without names */
    this.kept = kept(KEPT);
  }

  /** @param {Event} state */
  hear(state) {
    if (this.state?.room !== state.room) {
      /** @type {HTMLElement | null} */
      const links = document.querySelector("unmask-links");
      const space = JSON.parse(links?.dataset.space ?? '""');
      this.link = `${addressFor(location.href, space, inSpacesFrame())}#class=${state.room}`;
    }
    this.state = state;
    this.keep(state.revealed);
    this.show();
  }

  show() {
    const { state, link, cannot } = this;
    if (!state) return;
    const picture = new URL("unmask/qr.svg", document.baseURI);
    picture.searchParams.set("text", link);
    const act = (/** @type {Record<string, any>} */ message) => () => this.send(message);
    const save = () => saved("class.csv", "text/csv", csvOf(this.kept));
    render(
      html`<p>${t("Others follow at")}</p>
        <strong class="class-code">${spelledCode(String(state.room))}</strong>
        <input type="text" readonly aria-label=${t("Link to the class")} .value=${link} />
        <img class="class-qr" alt=${t("The link as a picture for telephones")} src=${picture.href} />
        <p role="status">${peopleSentence(state.people)}</p>
        <h3>${t("Ask the class")}</h3>
        <div class="class-row">
          <button type="button" ?disabled=${cannot.cell !== ""} @click=${() => this.ask("cell")}>
            ${t("Which cell is next?")}
          </button>
          <button type="button" ?disabled=${cannot.word !== ""} @click=${() => this.ask("word")}>
            ${t("Which word comes here?")}
          </button>
          <button type="button" ?disabled=${!state.question} @click=${act({ do: "reveal" })}>
            ${t("Show the answers")}
          </button>
          <button type="button" ?disabled=${!state.question} @click=${act({ do: "withdraw" })}>
            ${t("Take the question back")}
          </button>
        </div>
        <p class="class-why">${cannot.cell || cannot.word}</p>
        <h4>${t("Beat the schedule")}</h4>
        ${this.game()}
        <p role="status" class="class-asking">${statusOf(state)}</p>
        ${this.ranking(state)}
        <button type="button" ?hidden=${!this.kept.length} @click=${save}>${t("Save the answers (CSV)")}</button>
        <h3>${t("Who may steer")}</h3>
        <button type="button" aria-pressed=${state.frozen} @click=${act({ do: "freeze", on: !state.frozen })}>
          ${state.frozen ? t("Let all screens go") : t("Freeze all screens")}
        </button>
        <ul class="class-people">
          ${(state.seats ?? []).map((/** @type {any} */ seat) => this.row(seat))}
        </ul>
        <button type="button" class="class-end" @click=${act({ do: "dismiss" })}>${t("End the class")}</button>`,
      this.node,
    );
  }

  /** A game to start: what is written, and in how many looks. */
  game() {
    const { cells, passes } = WORLDS[this.world] ?? { cells: 4, passes: 3 };
    const most = Math.min(9, cells - 1); // one cell a pass would always be right
    const counts = Array.from({ length: most - 1 }, (_, at) => at + 2);
    const chosen = Number(this.passes) || passes;
    const choose = into(this, "world", () => {
      this.passes = "";
      this.show();
    });
    return html`<div class="class-row">
      <select aria-label=${t("What is written")} @change=${choose}>
        ${Object.entries(WORLDS).map(([value, { title }]) => html`<option value=${value}>${t(title)}</option>`)}
      </select>
      <select aria-label=${t("In how many looks")} @change=${into(this, "passes", () => this.show())}>
        ${counts.map((n) => html`<option value=${n} .selected=${n === chosen}>${t("in {n} looks", { n })}</option>`)}
      </select>
      <button
        type="button"
        @click=${() => this.send({ do: "question", kind: "schedule", world: this.world, passes: chosen })}
      >
        ${t("Start the game")}
      </button>
    </div>`;
  }

  /** @param {{seat: string, name: string, right: string}} row */
  row({ seat, name, right }) {
    const steers = right === "steer";
    const give = () => this.send({ do: "hand", to: seat, right: steers ? "watch" : "steer" });
    return html`<li>
      <span>${name || t("somebody")}</span>
      <button type="button" aria-pressed=${steers} @click=${give}>
        ${steers ? t("Take the pins back") : t("Hand over the pins")}
      </button>
    </li>`;
  }

  /** Who made the best schedules, once a game is over.
   * @param {Event} state
   */
  ranking({ revealed, ranking }) {
    const rows = revealed?.kind === "schedule" ? (ranking ?? []) : [];
    return html`<ol class="class-ranking" ?hidden=${!rows.length}>
      ${rows.map(
        (/** @type {any} */ { name, place, digits, share }) =>
          html`<li value=${place}>
            <span>${name || t("somebody")}</span><strong>${percent(share)}</strong>${smallSchedule(
              digits,
              revealed.world,
            )}
          </li>`,
      )}
    </ol>`;
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
    const cannot = { cell: this.reason("cell", 0, NOTHING), word: this.reason("word", side, cell) };
    if (cannot.cell === this.cannot.cell && cannot.word === this.cannot.word) return;
    this.cannot = cannot;
    this.show();
  }

  /**
   * Why a question cannot be asked now; empty if it can.
   * @param {"cell" | "word"} kind
   * @param {number} number of the side
   * @param {number} cell
   */
  reason(kind, number, cell) {
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

  /** Show the class what is on the stage, if it does not see that yet. */
  present() {
    const { sides, recordings } = this.unmask;
    const sessions = sides.filter(({ source, keys }) => source === "live" && keys.own).map((s) => s.session);
    const recorded = sides.filter(({ source }) => source === "replay").map(({ session }) => session);
    const names = JSON.stringify([sessions, recorded]);
    if (names === this.shown) return;
    this.shown = names;
    this.view = null;
    const texts = [...new Set(recorded.flatMap((session) => recordings.files.get(session) ?? []))];
    if (texts.length) void this.presentRecordings(names, sessions, texts);
    else this.send({ do: "show", sessions });
  }

  /**
   * @param {string} names of what is shown
   * @param {string[]} sessions
   * @param {string[]} texts of trace files
   */
  async presentRecordings(names, sessions, texts) {
    try {
      const uploads = texts.map((text) => upload(String(this.state?.room), this.key, text));
      const recordings = await Promise.all(uploads);
      if (this.shown !== names) return; // another run is on the stage by now
      this.view = null;
      this.send({ do: "show", sessions, recordings });
    } catch (error) {
      this.unmask.note(error instanceof Error ? error.message : String(error), true);
    }
  }

  /** Called with every painting: which runs stand on the stage, and which moment. */
  watch() {
    const { unmask } = this;
    if (!this.state) return;
    this.offers();
    this.tell();
    this.present();
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
  return /** @type {import("./answers.js").Kept[][]} */ (JSON.parse(sessionStorage.getItem(name) ?? "[]"));
}

/** How the question stands, for the one who presents.
 * @param {Event} state
 */
function statusOf({ question, revealed, people }) {
  if (question) return questionLine(question, people);
  if (!revealed) return t("Pause where it is interesting, then ask.");
  if (revealed.kind === "schedule") return standSentence(revealed);
  return t("{n} answered, {correct} right.", { n: revealed.answers, correct: revealed.correct });
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
