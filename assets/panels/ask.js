/** Under the prompt: what the model is, what one can ask it, and what to do with a prompt of a kind it does not know. */

import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { Panel } from "../stage/of_page.js";
import { Writer } from "./writer.js";
import { promptField, setField } from "../ask/fields.js";
import { Declined } from "../ask/declined.js";
import { about, explained, filled, partsOf } from "../ask/shapes.js";

/** @typedef {import("../ask/shapes.js").Shape} Shape */

export class Ask extends Panel {
  setUp() {
    this.classList.add("unmask");
    this.shapes = JSON.parse(this.dataset.shapes ?? "[]");
    this.card = JSON.parse(this.dataset.card ?? "{}");
    this.unmask.runs.trust(...JSON.parse(this.dataset.known ?? "[]"), ...this.shapes.map((shape) => filled(shape)));
    this.line = el("span", { className: "line" }, about(this.card));
    this.hint = el("span", { className: "hint" });
    this.opener = el(
      "button",
      { type: "button", className: "can", "aria-expanded": "false", onclick: () => this.unfold(!this.open) },
      t("What can I ask?"),
    );
    this.palette = el("div", { className: "palette", hidden: true });
    this.declined = new Declined(this.shapes, {
      write: (shape, prompt) => this.write(shape, prompt),
      anyway: () => this.unmask.run({}, true),
      bigger: () => document.dispatchEvent(new Event("unmask-models")),
      close: () => this.forget(),
    });
    const writer = new Writer(this.unmask);
    this.append(
      el("p", { className: "about" }, this.line, this.hint, " ", this.opener, " ", writer.opener),
      this.declined.node,
      this.palette,
      writer.panel,
    );
    document.addEventListener("input", (event) => {
      if (!(event.target instanceof Element && event.target.closest("#prompt"))) return;
      this.explain();
      this.unmask.runs.forget(); // another prompt is being written
      this.unmask.frames.redraw();
    });
    document.addEventListener("focusout", (event) => {
      if (event.target instanceof Element && event.target.closest("#prompt")) setTimeout(() => this.explain());
    });
    document.addEventListener("click", (event) => this.pressed(event), true);
    document.addEventListener("keydown", (event) => this.pressed(event), true);
    this.unmask.frames.add(() => this.show());
    new ResizeObserver(() => this.explain()).observe(this); // a narrower page wraps sooner
    this.explain();
  }

  /** @type {Shape[]} */
  shapes = [];
  /** @type {Record<string, any>} */
  card = {};
  /** @type {HTMLElement | undefined} */
  line;
  /** @type {HTMLElement | undefined} */
  hint;
  /** @type {HTMLElement | undefined} */
  opener;
  /** @type {HTMLElement | undefined} */
  palette;
  /** @type {Declined | undefined} */
  declined;
  answered = "";
  explained = "";

  /** Run was pressed, or Enter in the prompt: the stage says so before anything is asked.
   * @param {Event} event
   */
  pressed(event) {
    if (!(event.target instanceof Element)) return;
    const enter = event instanceof KeyboardEvent && event.key === "Enter" && !event.shiftKey && !event.isComposing;
    if (event.target.closest(enter ? "#prompt textarea" : event.type === "click" ? "#run" : ".nothing"))
      document.querySelector("unmask-stage")?.dispatchEvent(new Event("unmask-going"));
    if (event instanceof KeyboardEvent && event.key === "Escape" && this.unmask.runs.outside) this.forget();
  }

  /** The reason is read; the prompt stays as it is. */
  forget() {
    this.unmask.runs.forget();
    this.unmask.note("");
  }

  get open() {
    return this.palette ? !this.palette.hidden : false;
  }

  /** A prompt that leaves something open is explained where it stands. */
  explain() {
    const prompt = promptField()?.value ?? String(this.unmask.values.prompt ?? "");
    this.explained = prompt;
    if (this.hint) say(this.hint, explained(prompt, this.unmask.models.length > 1));
    if (this.line) this.line.hidden = this.hint?.textContent !== "";
    this.lines(prompt);
  }

  /** A prompt of several lines, or one that wraps, is written smaller: no line is cut in the middle.
   * @param {string} prompt
   */
  lines(prompt) {
    const field = promptField();
    const box = document.getElementById("prompt");
    if (!field || !box) return;
    field.dir = "auto"; // some scripts run from right to left
    box.removeAttribute("data-lines");
    // a line break at the end begins a line that nobody sees
    const ends = prompt.slice(prompt.trimEnd().length).split("\n").length - 1;
    const unseen = ends ? parseFloat(getComputedStyle(field).lineHeight) * ends : 0;
    const overflows = () => field.scrollHeight - unseen > field.clientHeight + 2;
    if (!overflows() && !prompt.trimEnd().includes("\n")) return;
    box.dataset.lines = "one"; // in smaller letters it may fit
    if (overflows() || document.activeElement === field) box.dataset.lines = "two"; // where it is written in has room
  }

  /** @param {boolean} open */
  unfold(open) {
    if (!this.palette || !this.opener) return;
    this.palette.hidden = !open;
    this.opener.setAttribute("aria-expanded", String(open));
    if (open && !this.palette.childElementCount) {
      const chat = t("Type over the marked words, or take them as they are.");
      this.palette.append(el("p", {}, chat), ...this.shapes.map((shape) => this.row(shape)));
    }
    if (open) this.palette.querySelector("input")?.focus();
  }

  /** A kind of text: its sentence with blanks to type over, and the button that writes it.
   * @param {Shape} shape
   */
  row(shape) {
    /** @type {Record<string, HTMLInputElement | HTMLTextAreaElement>} */
    const fields = {};
    /** @type {HTMLElement[]} further places of the same blank, which follow the first */
    const echoes = [];
    const field = (/** @type {string} */ name) => {
      const value = shape.example[name] ?? "";
      const made = el(value.includes("\n") ? "textarea" : "input", { "aria-label": `${shape.name}: ${name}`, value });
      if (made instanceof HTMLTextAreaElement) made.rows = value.split("\n").length;
      const size = () => (made.style.width = `${Math.min(46, Math.max(4, width(made.value) + 3))}ch`);
      made.addEventListener("input", () => {
        size();
        for (const echo of echoes) if (echo.dataset.of === name) echo.textContent = made.value;
      });
      size();
      return made;
    };
    /** @type {(Node | string)[]} */
    const sentence = [];
    for (const part of partsOf(shape.template.trimEnd())) {
      if ("text" in part) sentence.push(...part.text.split(/(\n)/).map((text) => (text === "\n" ? el("br") : text)));
      else if (!fields[part.blank]) sentence.push((fields[part.blank] = field(part.blank)));
      else {
        const echo = el("span", { "data-of": part.blank }, shape.example[part.blank] ?? "");
        echoes.push(echo);
        sentence.push(echo);
      }
    }
    const values = () => Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value]));
    return el(
      "form",
      {
        className: "shape",
        "aria-label": shape.name,
        onsubmit: (/** @type {SubmitEvent} */ event) => {
          event.preventDefault();
          this.unfold(false);
          this.write(shape, filled(shape, values()));
        },
      },
      el("div", { className: "words" }, el("p", { className: "sentence" }, ...sentence), el("small", {}, shape.says)),
      el("button", { type: "submit" }, t("Write it")),
    );
  }

  /**
   * @param {Shape} shape
   * @param {string} prompt
   */
  write(shape, prompt) {
    setField("prompt", prompt);
    setField("length", shape.length);
    this.explain();
    this.unmask.run({ prompt, length: shape.length });
  }

  show() {
    if ((promptField()?.value ?? "") !== this.explained) this.explain(); // an example or a link has written another
    const card = this.unmask.sides[0]?.source === "live" ? this.unmask.sides[0].head.model : null;
    if (card && this.line) say(this.line, about(card));
    const { outside } = this.unmask.runs;
    if (outside === this.answered) return;
    this.answered = outside;
    this.declined?.show(outside, this.unmask.server.mayOpen);
  }
}

/** @param {string} text */
function width(text) {
  return Math.max(...text.split("\n").map((line) => line.length));
}
