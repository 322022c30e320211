/** One who follows a class: the presenter's moment, looking around in between, catching up, and answers. */

import { el, say } from "../looks/dom.js";
import { shownAs } from "../looks/glyphs.js";
import { t } from "../looks/language.js";
import { emptySide, reduce } from "../wire/store.js";
import { pieceOf } from "../cells/face.js";
import { Board } from "./board.js";
import { overSentence, questionSentence, revealedSentence, sideOf } from "./room.js";

/** @typedef {import("../wire/canvas.js").Event} Event */
/** @typedef {import("../stage/controller.js").Controller} Unmask */

export class Follower {
  /**
   * @param {Unmask} unmask
   * @param {(message: Record<string, any>) => void} send
   */
  constructor(unmask, send) {
    this.unmask = unmask;
    this.send = send;
    /** @type {Event | null} how the class stands */
    this.state = null;
    /** @type {import("../wire/store.js").Stage} the class's runs, wherever this page looks */
    this.stage = { sides: [emptySide(), emptySide()] };
    /** @type {import("./room.js").View | null} */
    this.view = null;
    this.following = true;
    this.right = "watch";
    this.value = ""; // what was answered
    /** @type {{share: number, place: number} | null} in a game that is over */
    this.place = null;
    this.board = new Board((digits) => this.answer(digits));
    this.says = el("p", { role: "status" });
    this.back = el("button", { type: "button", onclick: () => this.catchUp() }, t("Catch up (C)"));
    this.word = el("input", { type: "text", maxLength: 40, "aria-label": t("Your answer"), autocomplete: "off" });
    this.form = el(
      "form",
      {
        onsubmit: (/** @type {SubmitEvent} */ event) => {
          event.preventDefault();
          if (this.word.value.trim()) this.answer(this.word.value);
        },
      },
      this.word,
      el("button", { type: "submit" }, t("Answer")),
    );
    this.name = el("input", {
      type: "text",
      maxLength: 24,
      placeholder: t("Your name, if you like"),
      autocomplete: "off",
    });
    this.name.addEventListener("change", () => this.rename(this.name.value));
    this.leave = el("button", { type: "button", onclick: () => this.depart() }, t("Leave the class"));
    this.node = el(
      "div",
      { className: "class-strip" },
      this.says,
      this.board.node,
      this.form,
      this.back,
      this.name,
      this.leave,
    );
  }

  /** @type {(name: string) => void} */
  rename = () => {};
  /** @type {() => void} */
  depart = () => {};

  /** Sessions of the class.
   * @returns {string[]}
   */
  get sessions() {
    return this.state?.sides ?? [];
  }

  /** Whether the class's runs stand on the stage, and no run of one's own. */
  get there() {
    return (
      this.stage.sides.some(({ session }) => session) &&
      this.unmask.sides.some((s) => this.sessions.includes(s.session))
    );
  }

  /** @param {Event} event */
  hear(event) {
    switch (event.did) {
      case "class":
        if (JSON.stringify(this.sessions) !== JSON.stringify(event.sides))
          this.stage = { sides: [emptySide(), emptySide()] };
        if (!event.question) this.value = "";
        if (!event.revealed) this.place = null;
        this.state = event;
        this.unmask.others.follow(this.sessions);
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
        this.word.value = "";
        break;
      default:
        if (this.sessions.includes(event.session ?? "")) this.stage = reduce(this.stage, event);
    }
    this.show();
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

  show() {
    const { state, unmask } = this;
    if (!state) return;
    const { question, revealed } = state;
    const number = this.sessions.indexOf(revealed?.session ?? "");
    const side = this.stage.sides[Math.max(0, number)] ?? emptySide();
    const after = side.moments.find(({ kind }, at) => at > (revealed?.at ?? 0) && kind === "pass");
    const then = after ?? side.moments.at(-1); // as it was written, whatever became of it
    const shown = (/** @type {number} */ cell) => shownAs(pieceOf(side, then?.tokens[cell] ?? -1)).trim();
    const away = !this.following || (!this.there && this.sessions.length > 0);
    const game = question?.kind === "schedule" ? question : null;
    this.board.show(game);
    const parts = [
      state.presented ? "" : t("The presenter is away and may come back."),
      this.sessions.length || game || revealed
        ? ""
        : t("You are in the class. The presenter has not started a run yet."),
      question ? questionSentence(question) : "",
      question && this.value ? this.given(question.kind) : "",
      question || !revealed
        ? ""
        : revealed.kind === "schedule"
          ? overSentence(revealed, this.place)
          : revealedSentence(revealed, shown),
      away && !question ? t("You look around by yourself.") : "",
      state.frozen ? t("All screens are stopped for a moment.") : "",
      this.right === "steer" && !state.frozen ? t("The pins are yours: select a cell and type a word.") : "",
    ].filter(Boolean);
    say(this.says, parts.join(" ") || t("You follow the class."));
    this.back.hidden = !away;
    this.form.hidden = question?.kind !== "word";
    this.node.dataset.asks = String(Boolean(question));
    unmask.frames.redraw();
  }
  /** @param {"cell" | "word" | "schedule"} kind */
  given(kind) {
    if (kind === "cell") return t("Your answer: cell {cell}.", { cell: this.value });
    if (kind === "word") return t("Your answer: “{word}”.", { word: this.value });
    return t("Your schedule is in: {digits}.", { digits: this.value });
  }
}
