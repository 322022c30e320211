/** One who follows a class: the presenter's moment, looking around in between, catching up, and answers. */

import { into, onSubmit } from "../../assets/looks/fields.js";
import { shownAs } from "../../assets/looks/glyphs.js";
import { t } from "../../assets/looks/language.js";
import { pieceOf } from "../../assets/cells/face.js";
import { html, nothing, render } from "../../assets/vendor/lit-html.js";
import { staged } from "../../assets/wire/recordings.js";
import { emptySide, reduce } from "../../assets/wire/store.js";
import { Board } from "./board.js";
import { recordingOf } from "./recordings.js";
import { overSentence, questionSentence, revealedSentence, shownBy, sideOf } from "./room.js";

/** @typedef {import("../../assets/wire/canvas.js").Event} Event */
/** @typedef {import("../../assets/stage/controller.js").Controller} Unmask */

export class Follower {
  node = document.createElement("div");
  /** @type {Event | null} how the class stands */
  state = null;
  /** @type {import("../../assets/wire/store.js").Stage} the class's runs, wherever this page looks */
  stage = { sides: [emptySide(), emptySide()] };
  /** @type {import("./room.js").View | null} */
  view = null;
  following = true;
  right = "watch";
  value = ""; // what was answered
  /** @type {{share: number, place: number} | null} in a game that is over */
  place = null;
  fields = { name: "", word: "" }; // as they are typed
  board = new Board((digits) => this.answer(digits));

  /**
   * @param {Unmask} unmask
   * @param {(message: Record<string, any>) => void} send
   */
  constructor(unmask, send) {
    this.unmask = unmask;
    this.send = send;
    this.node.classList.add("class-strip", "flow");
    this.show();
  }

  /** @type {(name: string) => void} */
  rename = () => {};
  /** @type {() => void} */
  leave = () => {};

  /** Sessions of the class.
   * @returns {string[]}
   */
  get sessions() {
    return this.state?.sides ?? [];
  }

  /** Whether the class's runs are on the stage, and no run of one's own. */
  get there() {
    return this.unmask.sides.some(
      ({ session }) => session && this.stage.sides.some((side) => side.session === session),
    );
  }

  /** @param {Event} event */
  hear(event) {
    switch (event.did) {
      case "class":
        if (shownBy(this.state) !== shownBy(event)) this.expect(event);
        if (!event.question) this.value = "";
        if (!event.revealed) this.place = null;
        this.state = event;
        if (event.view?.axis && !this.view) this.look(event.view);
        if (event.frozen) this.catchUp();
        break;
      case "view":
        this.look(/** @type {any} */ (event));
        break;
      case "history": {
        if (!this.sessions.includes(event.session ?? "")) return;
        const sides = this.stage.sides.slice();
        sides[event.side ?? 0] = sideOf(event);
        this.stage = { sides };
        if (this.following && this.sessions.every((session) => sides.some((side) => side.session === session)))
          this.catchUp();
        break;
      }
      case "allowed":
        if (this.sessions.includes(event.session ?? "")) this.right = event.right;
        break;
      case "answered":
        if (event.place) this.place = /** @type {any} */ (event);
        else this.value = event.value;
        this.fields.word = "";
        break;
      default:
        if (this.sessions.includes(event.session ?? "")) this.stage = reduce(this.stage, event);
    }
    this.show();
  }

  /** The class sees other runs from now on. Live ones come as their history, recordings are fetched.
   * @param {Event} state
   */
  expect({ room, sides, recordings = [] }) {
    this.stage = { sides: [emptySide(), emptySide()] };
    this.unmask.others.follow(sides);
    if (recordings.length) void this.fetch(room, recordings);
  }

  /**
   * @param {string} room
   * @param {string[]} names
   */
  async fetch(room, names) {
    try {
      const texts = await Promise.all(names.map((name) => recordingOf(room, name)));
      if (JSON.stringify(this.state?.recordings) !== JSON.stringify(names)) return; // the class sees others by now
      const { sides, files } = staged(texts, this.stage.sides);
      this.stage = { sides: this.stage.sides.map((side, i) => (side.session ? side : (sides[i] ?? side))) };
      this.unmask.others.follow([...this.sessions, ...files.keys()]);
      for (const [session, text] of files) this.unmask.recordings.files.set(session, text);
      if (this.following) this.catchUp();
    } catch (error) {
      this.unmask.note(error instanceof Error ? error.message : String(error), true);
    }
  }

  /** @param {import("./room.js").View} view */
  look(view) {
    this.view = view;
    if (this.following) this.apply();
  }

  apply() {
    const { unmask, view } = this;
    if (!view || !this.there) return;
    unmask.player.playAt(view.speed);
    unmask.player.move({ axis: view.axis, at: view.place, playing: view.playing, following: view.following });
  }

  /** Where the presenter is. */
  catchUp() {
    this.following = true;
    if (this.stage.sides.some(({ session }) => session)) this.unmask.attend(this.stage.sides);
    this.apply();
    this.show();
  }

  /** A person moves the head. While the class is frozen, nobody does.
   * @returns {boolean} whether it may move
   */
  touched() {
    if (this.unmask.sides.every(({ source }) => source === "empty")) return false; // a follower has nothing to begin
    if (!this.there) return true;
    if (this.state?.frozen) return false;
    this.following = false;
    this.show();
    return true;
  }

  /** A cell that was clicked is an answer, if the question is about cells.
   * @param {number} cell
   */
  click(cell) {
    if (this.state?.question?.kind === "cell" && this.there) this.answer(String(cell));
  }

  /** @param {string} value */
  answer(value) {
    this.send({ do: "answer", value });
  }

  /** Whether this page looks at another moment than the class, or at a run of its own. */
  get away() {
    return !this.following || (!this.there && this.stage.sides.some(({ session }) => session));
  }

  show() {
    const question = this.state?.question;
    const answer = () => {
      if (this.fields.word.trim()) this.answer(this.fields.word);
    };
    this.board.show(question?.kind === "schedule" ? question : null);
    this.node.dataset.asks = String(Boolean(question));
    render(
      html`<p role="status">${this.state ? this.says(this.state) : nothing}</p>
        ${this.board.node}
        <form ?hidden=${question?.kind !== "word"} @submit=${onSubmit(answer)}>
          <input
            type="text"
            maxlength="40"
            autocomplete="off"
            aria-label=${t("Your answer")}
            .value=${this.fields.word}
            @input=${into(this.fields, "word")}
          />
          <button type="submit">${t("Answer")}</button>
        </form>
        <button type="button" ?hidden=${!this.away} @click=${() => this.catchUp()}>${t("Catch up (C)")}</button>
        <input
          type="text"
          maxlength="24"
          autocomplete="off"
          placeholder=${t("Your name, if you like")}
          .value=${this.fields.name}
          @change=${into(this.fields, "name", () => this.rename(this.fields.name))}
        />
        <button type="button" @click=${() => this.leave()}>${t("Leave the class")}</button>`,
      this.node,
    );
    this.unmask.frames.redraw();
  }

  /** How the class stands, in sentences.
   * @param {Event} state
   */
  says({ question, revealed, presented, frozen }) {
    const number = this.sessions.indexOf(revealed?.session ?? "");
    const side = this.stage.sides[Math.max(0, number)] ?? emptySide();
    const after = side.moments.find(({ kind }, at) => at > (revealed?.at ?? 0) && kind === "pass");
    const then = after ?? side.moments.at(-1); // as it was written, whatever became of it
    const shown = (/** @type {number} */ cell) => shownAs(pieceOf(side, then?.tokens[cell] ?? -1)).trim();
    const over = question ? null : revealed;
    const parts = [
      presented ? "" : t("The presenter is away and may come back."),
      this.sessions.length || this.state?.recordings?.length || question?.kind === "schedule" || revealed
        ? ""
        : t("You are in the class. The presenter has not started a run yet."),
      question ? questionSentence(question) : "",
      question && this.value ? this.given(question.kind) : "",
      over?.kind === "schedule" ? overSentence(over, this.place) : over ? revealedSentence(over, shown) : "",
      this.away && !question ? t("You look around by yourself.") : "",
      frozen ? t("All screens are stopped for a moment.") : "",
      this.right === "steer" && !frozen ? t("The pins are yours: select a cell and type a word.") : "",
    ];
    return parts.filter(Boolean).join(" ") || t("You follow the class.");
  }

  /** @param {"cell" | "word" | "schedule"} kind */
  given(kind) {
    if (kind === "cell") return t("Your answer: cell {cell}.", { cell: this.value });
    if (kind === "word") return t("Your answer: “{word}”.", { word: this.value });
    return t("Your schedule is in: {digits}.", { digits: this.value });
  }
}
