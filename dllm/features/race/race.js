/** The race: choose who runs, and watch every racer type or refine as its bytes arrive. Keys go to the server and stay in no page. */

import { promptField } from "../../assets/ask/fields.js";
import { colour, onceVisible } from "../../assets/looks/dom.js";
import { into, onSubmit } from "../../assets/looks/fields.js";
import { t } from "../../assets/looks/language.js";
import { html, nothing, render } from "../../assets/vendor/lit-html.js";
import { drawChart } from "../../assets/views/plotly.js";
import { address } from "../../assets/wire/connection.js";
import { publish } from "./claims.js";
import { COLUMNS } from "./columns.js";
import { Entrants } from "./entrants.js";
import { rounds } from "./picture.js";
import { Racer } from "./racer.js";

/** @typedef {Record<string, any>} Row */

const ROUNDS = 5;

export class RaceTab extends HTMLElement {
  /** @type {WebSocket | undefined} */
  socket;
  /** @type {Entrants | undefined} */
  entrants;
  /** @type {Racer[]} */
  racers = [];
  /** @type {{table: Row[], files: {name: string, href: string, title: string}[]} | null} */
  result = null;
  notice = "";
  form = { prompt: "", length: 96 };

  connectedCallback() {
    if (this.entrants) return; // Gradio moves elements about
    this.entrants = new Entrants(() => {
      this.socket?.close();
      this.open();
    });
    this.form.prompt = JSON.parse(this.dataset.prompt ?? '""');
    this.notify(t("Asking who is here …"));
    onceVisible(this, () => {
      this.form.prompt = promptField()?.value || this.form.prompt;
      this.show();
      if (!this.socket) this.open();
    });
  }

  open() {
    this.socket = new WebSocket(address(document.baseURI, "race"));
    this.socket.onopen = () => this.socket?.send(JSON.stringify({ do: "field" }));
    this.socket.onmessage = (message) => this.receive(JSON.parse(message.data));
    this.socket.onclose = () => this.notify(t("The connection to the server is lost: press Race to try again."));
  }

  /** @param {Row} event */
  receive(event) {
    switch (event.did) {
      case "field":
        return this.field(event);
      case "began":
        return this.begin(event.racers, event.in_turns);
      case "news":
        return this.racers[event.racer]?.show(event);
      case "results":
        return this.finish(event);
      case "refused":
        return this.notify(event.why);
    }
  }

  /** @param {Row} event */
  field({ ours, rivals, claims, quota }) {
    this.entrants?.offer(ours, rivals, quota);
    const n = this.entrants?.keyed;
    this.notify(
      n
        ? t("{n} rivals have a key here.", { n })
        : t(
            "No rival has a key here. Set one such as INCEPTION_API_KEY or OPENROUTER_API_KEY before starting, or type a key below: it is used for this session and kept nowhere. Everything from here races all the same.",
          ),
    );
    publish({ claims, rivals });
    this.dataset.ready = "yes";
  }

  /** @param {number} rounds */
  go(rounds) {
    const racers = this.entrants?.chosen ?? [];
    if (!racers.length) return this.notify(t("Choose at least one racer."));
    const request = { do: "race", ...this.form, racers, rounds };
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(request));
    else this.open();
  }

  stop() {
    this.socket?.send(JSON.stringify({ do: "stop" }));
    this.dataset.state = "stopped";
    this.notify(t("Stopped."));
  }

  /**
   * @param {Row[]} racers
   * @param {boolean} inTurns
   */
  begin(racers, inTurns) {
    this.racers = racers.map((racer, i) => new Racer(racer, i));
    for (const { href } of this.result?.files ?? []) URL.revokeObjectURL(href);
    this.result = null;
    this.dataset.state = "racing";
    this.notify(
      inTurns ? t("Five rounds, one racer at a time, so that they do not slow each other down.") : t("Racing."),
    );
  }

  /** @param {Row} event */
  finish({ table, began, csv, trace }) {
    const name = `race-${began.replaceAll(":", "-")}`;
    const file = (/** @type {string} */ type, /** @type {string} */ text) =>
      URL.createObjectURL(new Blob([text], { type }));
    this.result = {
      table,
      files: [
        { name: `${name}.csv`, href: file("text/csv", csv), title: t("Take away as CSV") },
        { name: `${name}.race.jsonl`, href: file("application/jsonl", trace), title: t("Take away as trace") },
      ],
    };
    this.dataset.state = "done";
    this.notify(t("Done."));
    void this.drawRounds(table);
    publish({ raced: table });
  }

  /** @param {string} notice */
  notify(notice) {
    this.notice = notice;
    this.show();
  }

  show() {
    render(
      html`<p class="question">
          ${t("Which model answers your prompt first: the pair here, or models on the web with your own key?")}
        </p>
        <form @submit=${onSubmit(() => this.go(1))}>
          <label
            >${t("Prompt")}<textarea
              rows="2"
              maxlength="8000"
              .value=${this.form.prompt}
              @input=${into(this.form, "prompt")}
            ></textarea>
          </label>
          <label
            >${t("Tokens at the most")}<input
              type="number"
              min="1"
              max="512"
              .value=${String(this.form.length)}
              @input=${into(this.form, "length")}
          /></label>
          ${this.entrants?.node}
          <div class="race-buttons">
            <button type="submit" class="race-go">${t("Race")}</button>
            <button type="button" @click=${() => this.go(ROUNDS)}>${t("Five rounds, one at a time")}</button>
            <button type="button" ?hidden=${this.dataset.state !== "racing"} @click=${() => this.stop()}>
              ${t("Stop")}
            </button>
          </div>
        </form>
        <p role="status" class="race-notice">${this.notice}</p>
        <div class="race-racers">${this.racers.map(({ node }) => node)}</div>
        <div class="race-result">${this.result ? this.results(this.result) : nothing}</div>`,
      this,
    );
  }

  /** @param {NonNullable<RaceTab["result"]>} result */
  results({ table, files }) {
    return html`<div class="race-table">
        <table>
          <thead>
            <tr>
              <th scope="col">${t("Racer")}</th>
              ${COLUMNS.map(([, title]) => html`<th scope="col">${t(title)}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${table.map(resultRow)}
          </tbody>
        </table>
      </div>
      <div class="race-picture"></div>
      <p class="race-fine">
        ${t(
          "Times run from the written request; tokens are the rival's own count, never counted from chunks; what is not reported is unknown. Medians, with the lowest and the highest where there were several rounds. Ours wait for the device like any caller; one run of each to warm up is left out.",
        )}
      </p>
      <p class="race-buttons">
        ${files.map(({ name, href, title }) => html`<a class="race-file" href=${href} download=${name}>${title}</a>`)}
      </p>`;
  }

  /** The rounds, a dot each, with their spread; nothing where there was one.
   * @param {Row[]} table
   */
  async drawRounds(table) {
    const picture = this.querySelector(".race-picture");
    const boxes = rounds(table, "end", colour);
    if (!boxes.length || !(picture instanceof HTMLElement)) return;
    await drawChart(picture, JSON.parse(this.dataset.plotly ?? '""'), boxes, {
      margin: { l: 8, r: 12, t: 30, b: 40 },
      height: 90 + 44 * boxes.length,
      title: { text: t("Seconds to the last text, a dot a round"), font: { size: 13 } },
      xaxis: { title: { text: "s" }, gridcolor: colour("line"), rangemode: "tozero" },
      yaxis: { automargin: true },
    });
    picture.dataset.drawn = String(boxes.length);
  }
}

/** @param {Row} row */
function resultRow(row) {
  const name = row.failed ? `${row.title}: ${row.why}` : row.title;
  return html`<tr data-row=${row.racer}>
    <th scope="row">${name}</th>
    ${COLUMNS.map(
      ([figure, , form]) => html`<td data-figure=${figure}>${row.failed === row.runs ? "–" : form(row, figure)}</td>`,
    )}
  </tr>`;
}
