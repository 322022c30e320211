/** The way from a declined prompt to a model that answers it: ask one that is here, or get one. */

import { size, time } from "../../assets/steer/book.js";
import { cut } from "../../assets/ask/shapes.js";
import { t } from "../../assets/looks/language.js";
import { html, nothing, render } from "../../assets/vendor/lit-html.js";
import { withTwin } from "./page.js";
import { shelf } from "./shelf.js";
import { bestOf, called, progress } from "./words.js";

/** @typedef {import("./shelf.js").Row} Row */

const LONGEST = 60; // characters of a prompt

export class Answer {
  /** @param {import("../../assets/stage/controller.js").Controller} unmask */
  constructor(unmask) {
    this.unmask = unmask;
    this.shelf = shelf();
    this.node = document.createElement("div");
    this.node.className = "answer";
    unmask.frames.add(() => this.show());
  }

  prompt = "";
  model = ""; // that is on its way to answer it

  /** @param {string} prompt that was declined; empty for none */
  ask(prompt) {
    this.prompt = prompt;
    if (!prompt) return;
    if (this.shelf.row(this.model)?.state !== "coming") this.model = "";
    void this.shelf.look();
    this.show();
  }

  show() {
    if (!this.prompt) return;
    const row = this.shelf.row(this.model) ?? bestOf(this.shelf.state.rows, this.prompt);
    render(row ? this.content(row) : this.waiting(), this.node);
  }

  waiting() {
    if (this.shelf.state.answered) return this.others();
    return html`<p role="status">${t("Looking for a model that answers this …")}</p>`;
  }

  others() {
    const open = () => document.dispatchEvent(new Event("unmask-models"));
    return html`<button type="button" class="link" @click=${open}>${t("Other models")}</button>`;
  }

  /** @param {Row} row */
  content(row) {
    const name = called(row.name);
    if (row.state === "coming") return this.coming(row, name);
    const ready = row.state === "open" || row.here;
    const get = () => this.get(row);
    const ask = () => this.unmask.answerWith(withTwin(row));
    const word = ready
      ? this.model
        ? t("Ask it")
        : t("Ask {model}", { model: name })
      : t("Get a model that answers this: {size}", { size: size(row.download) });
    const says = ready
      ? row.seconds
        ? t("On this machine. A look takes about {time}.", { time: time(row.seconds) })
        : t("On this machine.")
      : t("{model}, {size} of disk.", { model: name, size: size(row.disk) });
    return html`${ready && this.model ? html`<p role="status">${this.arrived(name)}</p>` : nothing}
      ${row.state === "failed" ? html`<p class="state" role="status">${progress(row)}</p>` : nothing}
      <p class="first">
        <button type="button" class="best" @click=${ready ? ask : get}>
          ${row.state === "failed" ? t("Try again") : word}
        </button>
        <span>${says} ${this.others()}</span>
      </p>`;
  }

  /** @param {string} model */
  arrived(model) {
    return t("{model} is here, and can answer “{prompt}”.", { model, prompt: cut(this.prompt.trim(), LONGEST) });
  }

  /**
   * @param {Row} row
   * @param {string} name
   */
  coming(row, name) {
    const stop = () => void this.shelf.look({ model: row.name, do: "cancel" });
    const prompt = cut(this.prompt.trim(), LONGEST);
    return html`<p>${t("{model} is on its way, and will answer “{prompt}”.", { model: name, prompt })}</p>
      <progress
        max=${row.total ?? 1}
        value=${row.done ?? 0}
        aria-label=${t("Opening of {model}", { model: name })}
      ></progress>
      <p class="first">
        <span role="status">${progress(row)}</span>
        ${this.shelf.state.owner ? html`<button type="button" @click=${stop}>${t("Pause")}</button>` : nothing}
        ${this.others()}
      </p>`;
  }

  /** @param {Row} row */
  get(row) {
    this.model = row.name;
    void this.shelf.look({ model: row.name, do: "open" });
  }
}
