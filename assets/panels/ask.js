/** Under the prompt: what the model is, what one can ask it, and what to do with a prompt of a kind it does not know. */

import { into, onSubmit } from "../looks/fields.js";
import { t } from "../looks/language.js";
import { Panel } from "../stage/of_page.js";
import { html, nothing, render } from "../vendor/lit-html.js";
import { offered } from "../looks/features.js";
import { promptField, setField } from "../ask/fields.js";
import { about, explained, filled, partsOf } from "../ask/shapes.js";

/** @typedef {import("../ask/shapes.js").Shape} Shape */

export class Ask extends Panel {
  setUp() {
    this.classList.add("unmask");
    this.shapes = JSON.parse(this.dataset.shapes ?? "[]");
    this.card = JSON.parse(this.dataset.card ?? "{}");
    this.unmask.runs.trust(...JSON.parse(this.dataset.known ?? "[]"), ...this.shapes.map((shape) => filled(shape)));
    void this.unmask.server.offers(); // whether it opens other models
    this.blanks = this.shapes.map(({ example }) => ({ ...example }));
    addEventListener("unmask-write", async (event) => {
      const { side, cells } = /** @type {CustomEvent<{side: number, cells: number[]}>} */ (event).detail;
      const writer = await this.writing();
      writer.unfold(true);
      writer.fetch(side, cells);
    });
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
  hint = ""; // what the prompt leaves open
  open = false; // what one can ask is shown
  /** @type {Record<string, string>[]} what is typed into the blanks of each shape */
  blanks = [];
  /** @type {import("./writer.js").Writer | undefined} */
  writer;
  /** @type {import("../ask/declined.js").Declined | undefined} made with the first prompt that is declined */
  declined;
  answered = "";
  explained = "";

  /** Run was pressed, or Enter in the prompt: the stage says so before anything is asked.
   * @param {Event} event
   */
  pressed(event) {
    if (!(event.target instanceof Element)) return;
    const enter =
      event instanceof KeyboardEvent && event.key === "Enter" && !event.isComposing && !event.shiftKey && !event.altKey;
    if (enter && (event.ctrlKey || event.metaKey) && event.target.closest("#prompt textarea")) {
      event.preventDefault(); // Gradio's field knows Enter alone
      document.getElementById("run")?.click();
    } else if (event.target.closest(enter ? "#prompt textarea" : event.type === "click" ? "#run" : ".nothing"))
      document.querySelector("unmask-stage")?.dispatchEvent(new Event("unmask-going"));
    if (event instanceof KeyboardEvent && event.key === "Escape" && this.unmask.runs.outside) this.forget();
  }

  /** The reason is read; the prompt stays as it is. */
  forget() {
    this.unmask.runs.forget();
    this.unmask.note("");
  }

  /** A prompt that leaves something open is explained where it stands. */
  explain() {
    const prompt = promptField()?.value ?? String(this.unmask.values.prompt ?? "");
    this.explained = prompt;
    this.hint = explained(prompt, this.unmask.models.length > 1);
    this.draw();
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
    box.removeAttribute("data-more");
    // a line break at the end begins a line that nobody sees
    const ends = prompt.slice(prompt.trimEnd().length).split("\n").length - 1;
    const unseen = ends ? parseFloat(getComputedStyle(field).lineHeight) * ends : 0;
    const overflows = () => field.scrollHeight - unseen > field.clientHeight + 2;
    if (!overflows() && !prompt.trimEnd().includes("\n")) return;
    box.dataset.lines = "one"; // in smaller letters it may fit
    if (overflows() || document.activeElement === field) box.dataset.lines = "two"; // where it is written in has room
    box.toggleAttribute("data-more", overflows() && document.activeElement !== field);
  }

  /** @param {boolean} open */
  unfold(open) {
    this.open = open;
    this.draw();
    const first = this.querySelector(".palette :is(input, textarea)");
    if (open && first instanceof HTMLElement) first.focus();
  }

  /** The writing mode: its script is loaded when it is first opened. */
  async writing() {
    const { Writer } = await import("./writer.js");
    this.writer ??= new Writer(this.unmask, () => this.draw());
    this.draw();
    return this.writer;
  }

  draw() {
    const writes = this.writer?.panel.hidden === false;
    const turn = async () => {
      const writer = await this.writing();
      writer.unfold(Boolean(writer.panel.hidden));
    };
    render(
      html`<p class="about">
          <span class="line" ?hidden=${this.hint !== ""}>${about(this.card)}</span
          ><span class="hint">${this.hint}</span>
          <button type="button" class="can link" aria-expanded=${this.open} @click=${() => this.unfold(!this.open)}>
            ${t("What can I ask?")}
          </button>
          <button type="button" class="can writer-open link" aria-expanded=${writes} @click=${turn}>
            ${t("Write or edit a text")}
          </button>
        </p>
        ${this.declined?.node}
        <div class="palette" ?hidden=${!this.open}>
          <p>${t("Type over the marked words, or take them as they are.")}</p>
          ${this.open ? this.shapes.map((shape, i) => this.row(shape, this.blanks[i] ?? {})) : nothing}
        </div>
        ${this.writer?.panel}`,
      this,
    );
  }

  /** A kind of text: its sentence with blanks to type over, and the button that writes it.
   * @param {Shape} shape
   * @param {Record<string, string>} blanks what is typed into them
   */
  row(shape, blanks) {
    const submit = onSubmit(() => {
      this.unfold(false);
      this.write(shape, filled(shape, blanks));
    });
    /** @type {Set<string>} further places of a blank follow the first */
    const seen = new Set();
    const sentence = partsOf(shape.template.trimEnd()).map((part) => {
      if ("text" in part) return part.text.split(/(\n)/).map((text) => (text === "\n" ? html`<br />` : text));
      if (seen.has(part.blank)) return html`<span>${blanks[part.blank]}</span>`;
      seen.add(part.blank);
      return this.blank(shape, part.blank, blanks);
    });
    return html`<form class="shape" aria-label=${shape.name} @submit=${submit}>
      <div class="words">
        <p class="sentence">${sentence}</p>
        <small>${shape.says}</small>
      </div>
      <button type="submit">${t("Write it")}</button>
    </form>`;
  }

  /** A place to type, as wide as its words.
   * @param {Shape} shape
   * @param {string} name
   * @param {Record<string, string>} blanks
   */
  blank(shape, name, blanks) {
    const value = blanks[name] ?? "";
    const lines = (shape.example[name] ?? "").split("\n").length;
    const label = `${shape.name}: ${name}`;
    const style = `width: ${Math.min(46, Math.max(4, width(value) + 3))}ch`;
    const change = into(blanks, name, () => this.draw());
    return lines > 1
      ? html`<textarea rows=${lines} aria-label=${label} style=${style} .value=${value} @input=${change}></textarea>`
      : html`<input aria-label=${label} style=${style} .value=${value} @input=${change} />`;
  }

  /**
   * @param {{length: number}} shape
   * @param {string} prompt
   * @param {boolean} [anyway] skips the check that the model knows such texts
   */
  write(shape, prompt, anyway = false) {
    setField("prompt", prompt);
    setField("length", shape.length);
    this.explain();
    this.unmask.run({ prompt, length: shape.length }, anyway);
  }

  show() {
    if ((promptField()?.value ?? "") !== this.explained) this.explain(); // an example or a link has written another
    const card = this.unmask.sides[0]?.source === "live" ? this.unmask.sides[0].head.model : null;
    if (card && card !== this.card) {
      this.card = card;
      this.draw();
    }
    const { outside } = this.unmask.runs;
    if (outside === this.answered) return;
    this.answered = outside;
    void this.decline();
  }

  /** Say why a prompt is declined, or no longer. */
  async decline() {
    if (this.answered && !this.declined) {
      const [{ Declined }, answers] = await Promise.all([import("../ask/declined.js"), offered("answer")]);
      const made = answers.map((Answer) => new Answer(this.unmask));
      this.declined ??= new Declined(made, {
        write: (offer) => this.write(offer, offer.prompt, true),
        anyway: () => this.unmask.run({}, true),
        close: () => this.forget(),
      });
      this.draw();
    }
    this.declined?.show(this.answered, this.unmask.runs.instead, this.unmask.server.mayOpen);
  }
}

/** @param {string} text */
function width(text) {
  return Math.max(...text.split("\n").map((line) => line.length));
}
