/** One who follows a class: the presenter's moment, looking around in between, catching up, and answers. */

import { el, say } from "../looks/dom.js";
import { shownAs } from "../looks/glyphs.js";
import { emptySide, reduce } from "../wire/store.js";
import { pieceOf } from "../stage/painter.js";
import { questionSentence, revealedSentence, sideOf } from "./room.js";

/** @typedef {import("../wire/canvas.js").Event} Event */
/** @typedef {typeof import("../stage/controller.js").unmask} Unmask */

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
    this.says = el("p", { role: "status" });
    this.back = el("button", { type: "button", onclick: () => this.catchUp() }, "Catch up (C)");
    this.word = el("input", { type: "text", maxLength: 40, "aria-label": "Your answer", autocomplete: "off" });
    this.form = el(
      "form",
      {
        onsubmit: (/** @type {SubmitEvent} */ event) => {
          event.preventDefault();
          if (this.word.value.trim()) this.answer(this.word.value);
        },
      },
      this.word,
      el("button", { type: "submit" }, "Answer"),
    );
    this.name = el("input", {
      type: "text",
      maxLength: 24,
      placeholder: "Your name, if you like",
      autocomplete: "off",
    });
    this.name.addEventListener("change", () => this.rename(this.name.value));
    this.leave = el("button", { type: "button", onclick: () => this.depart() }, "Leave the class");
    this.node = el("div", { className: "class-strip" }, this.says, this.form, this.back, this.name, this.leave);
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
        this.state = event;
        this.unmask.taught = new Set(this.sessions);
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
        this.value = event.value;
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
    unmask.speed = view.speed;
    unmask.move({ axis: view.axis, at: view.place, playing: view.playing, following: view.following });
  }

  /** Where the presenter is. */
  catchUp() {
    this.following = true;
    if (this.stage.sides.some(({ session }) => session)) this.unmask.attend(this.stage);
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

  /** A cell that was clicked answers, if that is what is asked.
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
    const shown = (/** @type {number} */ cell) =>
      shownAs(pieceOf(side, side.moments.at(-1)?.tokens[cell] ?? -1)).trim();
    const away = !this.following || (!this.there && this.sessions.length > 0);
    const parts = [
      state.presented ? "" : "The presenter is away and may come back.",
      this.sessions.length ? "" : "You are in the class. The presenter has not started a run yet.",
      question ? questionSentence(question) : "",
      question && this.value
        ? `Your answer: ${question.kind === "cell" ? `cell ${this.value}` : `“${this.value}”`}.`
        : "",
      !question && revealed ? revealedSentence(revealed, shown) : "",
      away && !question ? "You look around by yourself." : "",
      state.frozen ? "All screens are held for a moment." : "",
      this.right === "steer" && !state.frozen ? "The pins are yours: select a cell and type a word." : "",
    ].filter(Boolean);
    say(this.says, parts.join(" ") || "You follow the class.");
    this.back.hidden = !away;
    this.form.hidden = question?.kind !== "word";
    this.node.dataset.asks = String(Boolean(question));
    unmask.changed();
  }
}
