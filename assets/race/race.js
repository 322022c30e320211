/** The race: choose who runs, and watch every racer type or refine as its bytes arrive. Keys go to the server and stay in no page. */

import { promptField } from "../ask/fields.js";
import { onceVisible, publish } from "./claims.js";
import { colour, el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { loadPlotly } from "../views/plotly.js";
import { COLUMNS } from "./columns.js";
import { rounds } from "./picture.js";
import { quotaLine } from "./quota.js";
import { Racer } from "./racer.js";
import { address } from "../wire/connection.js";

/** @typedef {{input: number, output: number, date: string, source: string, note: string}} Price */
/**
 * @typedef {object} Rival
 * @property {string} card
 * @property {string} title
 * @property {string} kind
 * @property {string} where
 * @property {boolean} diffusing
 * @property {string[]} efforts
 * @property {boolean} key there is one on the server that this visitor may use
 * @property {string} wanted
 * @property {boolean} confirmed
 * @property {Price | null} price
 */
/** @typedef {Record<string, any>} Row */

const ROUNDS = 5;
export class RaceTab extends HTMLElement {
  connectedCallback() {
    if (this.childElementCount) return;
    this.notice = el("p", { role: "status", className: "race-notice" }, t("Asking who is here …"));
    this.board = el("div", { className: "race-racers" });
    this.choice = el("div", { className: "race-choice" });
    this.result = el("div", { className: "race-result" });
    this.prompt = el("textarea", {
      rows: 2,
      maxLength: 8000,
      value: JSON.parse(this.dataset.prompt ?? '""'),
    });
    this.length = el("input", { type: "number", min: "1", max: "512", value: "96" });
    const stop = el("button", { type: "button", onclick: () => this.stop() }, t("Stop"));
    const turns = el("button", { type: "button", onclick: () => this.go(ROUNDS) }, t("Five rounds, one at a time"));
    this.append(
      el(
        "p",
        { className: "question" },
        t("Which model answers your prompt first: the pair here, or models on the web with your own key?"),
      ),
      el(
        "form",
        { onsubmit: (/** @type {Event} */ e) => (e.preventDefault(), this.go(1)) },
        el("label", {}, t("Prompt"), this.prompt),
        el("label", {}, t("Tokens at the most"), this.length),
        this.choice,
        el(
          "div",
          { className: "race-buttons" },
          el("button", { type: "submit", className: "race-go" }, t("Race")),
          turns,
          stop,
        ),
      ),
      this.notice,
      this.board,
      this.result,
    );
    onceVisible(this, () => {
      if (this.prompt) this.prompt.value = promptField()?.value || this.prompt.value;
      if (!this.socket) this.open();
    });
  }

  /** @type {WebSocket | undefined} */
  socket;
  /** @type {Racer[]} */
  racers = [];
  /** @type {(() => Row | null)[]} */
  entrants = [];

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
        return this.field(event.ours, event.rivals, event.claims, event.quota);
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

  /**
   * @param {string[]} ours
   * @param {Rival[]} rivals
   * @param {Row[]} claims
   * @param {import("./quota.js").Quota | null} quota
   */
  field(ours, rivals, claims, quota) {
    this.entrants = [];
    const here = el(
      "fieldset",
      { className: "race-here" },
      el("legend", {}, t("From here")),
      ...ours.map((name, i) => this.local(name, i < 2)),
    );
    /** @type {Map<string, Rival[]>} */
    const models = new Map();
    for (const rival of rivals) {
      const name = rival.card.split(" ")[0] ?? "";
      models.set(name, [...(models.get(name) ?? []), rival]);
    }
    const keyed = [...models.values()].filter((ways) => ways.some((way) => way.key));
    const others = [...models.values()].filter((ways) => !ways.some((way) => way.key));
    const away = el("fieldset", {}, el("legend", {}, t("Rivals")), ...keyed.map((ways) => this.rival(ways)));
    const again = () => {
      this.socket?.close();
      this.open();
    };
    if (quota) away.append(quotaLine(quota, again));
    const rest = el(
      "details",
      {},
      el("summary", {}, t("{n} more with a key of yours, or a server of your own", { n: others.length })),
    );
    const more = el(
      "button",
      { type: "button", onclick: () => more.before(this.own()) },
      t("Another server of your own"),
    );
    rest.append(...others.map((ways) => this.rival(ways)), this.own(), more);
    away.append(rest);
    this.choice?.replaceChildren(here, away);
    this.notify(
      keyed.length
        ? t("{n} rivals have a key here.", { n: keyed.length })
        : t(
            "No rival has a key here. Set one such as INCEPTION_API_KEY or OPENROUTER_API_KEY before starting, or type a key below: it is used for this session and kept nowhere. Everything from here races all the same.",
          ),
    );
    publish({ claims, rivals });
    this.dataset.ready = "yes";
  }

  /**
   * @param {string} name
   * @param {boolean} checked
   */
  local(name, checked) {
    const box = el("input", { type: "checkbox", checked, "data-entrant": name });
    this.entrants.push(() => (box.checked ? { model: name } : null));
    return el("label", { className: "race-entrant" }, box, el("span", {}, name));
  }

  /** One model, by the way that is chosen.
   * @param {Rival[]} ways
   */
  rival(ways) {
    const first = ways.find((way) => way.key) ?? ways[0];
    if (!first) return el("div");
    const title = (ways[0] ?? first).title;
    const box = el("input", { type: "checkbox", "data-entrant": first.card.split(" ")[0] });
    const way = el("select", { "aria-label": t("How {name} is reached", { name: title }) });
    way.append(...ways.map((one) => el("option", { value: one.card, selected: one === first }, one.where)));
    const key = el("input", {
      type: "password",
      autocomplete: "off",
      placeholder: t("your key"),
      "aria-label": t("Key for {name}", { name: title }),
    });
    const drafts = el("input", { type: "checkbox", checked: true });
    const wish = el("label", {}, drafts, el("span", {}, t("show its drafts")));
    const effort = el("select", { "aria-label": t("Reasoning of {name}", { name: title }) });
    const facts = el("small");
    const chosen = () => ways.find((one) => one.card === way.value) ?? first;
    const show = () => {
      const { price, kind, confirmed, key: there, wanted, diffusing, efforts } = chosen();
      const variable = /[A-Z]+_[A-Z_]+/.exec(wanted)?.[0] ?? "";
      const missing = t("set {key} before starting, or type a key for this session", { key: variable });
      const cost = price
        ? t("${in} in, ${out} out per million ({date})", { in: price.input, out: price.output, date: price.date })
        : t("price unknown");
      say(
        facts,
        [t(kind), cost, confirmed ? "" : t("its name there is not confirmed"), there ? "" : missing]
          .filter(Boolean)
          .join(" · "),
      );
      key.hidden = there;
      wish.hidden = !diffusing;
      effort.hidden = !efforts.length;
      effort.replaceChildren(
        el("option", { value: "" }, t("its own effort")),
        ...efforts.map((name) => el("option", { value: name }, t("effort: {name}", { name }))),
      );
    };
    way.addEventListener("change", show);
    show();
    this.entrants.push(() => {
      if (!box.checked) return null;
      const one = chosen();
      const typed = key.value && !one.key ? { key: key.value } : {};
      return { card: one.card, diffusing: one.diffusing && drafts.checked, effort: effort.value, ...typed };
    });
    const name = el("label", { className: "race-name" }, box, el("span", {}, title));
    return el("div", { className: "race-entrant" }, name, way, key, effort, wish, facts);
  }

  /** Any server that speaks OpenAI's interface. */
  own() {
    const address = el("input", {
      type: "url",
      placeholder: "https://host/v1",
      "aria-label": t("Address of your own server"),
    });
    const name = el("input", { type: "text", placeholder: t("model"), "aria-label": t("Its model") });
    const key = el("input", {
      type: "password",
      autocomplete: "off",
      placeholder: t("key, if any"),
      "aria-label": t("Its key"),
    });
    const drafts = el("input", { type: "checkbox" });
    this.entrants.push(() => {
      if (!address.value || !name.value) return null;
      const typed = key.value ? { key: key.value } : {};
      return { address: address.value, name: name.value, diffusing: drafts.checked, ...typed };
    });
    const wish = el("label", {}, drafts, el("span", {}, t("ask for drafts")));
    return el("div", { className: "race-entrant race-own" }, el("span", {}, t("Your own")), address, name, key, wish);
  }

  /** @param {number} rounds */
  go(rounds) {
    const racers = this.entrants.map((entrant) => entrant()).filter((racer) => racer !== null);
    if (!racers.length) return this.notify(t("Choose at least one racer."));
    const request = {
      do: "race",
      prompt: this.prompt?.value,
      length: Number(this.length?.value),
      racers,
      rounds,
    };
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(request));
    else this.open();
  }

  stop() {
    this.socket?.send(JSON.stringify({ do: "stop" }));
    this.notify(t("Stopped."));
    this.dataset.state = "stopped";
  }

  /**
   * @param {Row[]} racers
   * @param {boolean} inTurns
   */
  begin(racers, inTurns) {
    this.racers = racers.map((racer, i) => new Racer(racer, i));
    this.board?.replaceChildren(...this.racers.map((racer) => racer.node));
    this.result?.replaceChildren();
    this.dataset.state = "racing";
    this.notify(
      inTurns ? t("Five rounds, one racer at a time, so that they do not slow each other down.") : t("Racing."),
    );
  }

  /** @param {Row} event */
  finish(event) {
    const head = el(
      "tr",
      {},
      el("th", { scope: "col" }, t("Racer")),
      ...COLUMNS.map(([, title]) => el("th", { scope: "col" }, t(title))),
    );
    const body = event.table.map((/** @type {Row} */ row) => {
      const cells = COLUMNS.map(([name, , form]) =>
        el("td", { "data-figure": name }, row.failed === row.runs ? "–" : form(row, name)),
      );
      const failed = row.failed ? `${row.title}: ${row.why}` : row.title;
      return el("tr", { "data-row": row.racer }, el("th", { scope: "row" }, failed), ...cells);
    });
    const stamp = event.began.replaceAll(":", "-");
    this.result?.replaceChildren(
      el("div", { className: "race-table" }, el("table", {}, el("thead", {}, head), el("tbody", {}, ...body))),
      this.chart(event.table),
      el(
        "p",
        { className: "race-fine" },
        t(
          "Times run from the written request; tokens are the rival's own count, never counted from chunks; what is not reported is unknown. Medians, with the lowest and the highest where there were several rounds. Ours wait for the device like any caller; one run of each to warm up is left out.",
        ),
      ),
      el(
        "p",
        { className: "race-buttons" },
        this.file(`race-${stamp}.csv`, "text/csv", event.csv, t("Take away as CSV")),
        this.file(`race-${stamp}.race.jsonl`, "application/jsonl", event.trace, t("Take away as trace")),
      ),
    );
    this.dataset.state = "done";
    this.notify(t("Done."));
    publish({ raced: event.table });
  }

  /** The rounds, a dot each, with their spread; nothing where there was one.
   * @param {Row[]} table
   */
  chart(table) {
    const node = el("div", { className: "race-picture" });
    const boxes = rounds(table, "end", colour);
    if (boxes.length) void this.drawRounds(node, boxes);
    return node;
  }

  /**
   * @param {HTMLElement} node
   * @param {Row[]} boxes
   */
  async drawRounds(node, boxes) {
    const Plotly = await loadPlotly(JSON.parse(this.dataset.plotly ?? '""'));
    const layout = {
      font: { color: colour("ink"), family: getComputedStyle(this).fontFamily, size: 12 },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      margin: { l: 8, r: 12, t: 30, b: 40 },
      height: 90 + 44 * boxes.length,
      title: { text: t("Seconds to the last text, a dot a round"), font: { size: 13 } },
      xaxis: { title: { text: "s" }, gridcolor: colour("line"), rangemode: "tozero" },
      yaxis: { automargin: true },
    };
    node.style.height = `${layout.height}px`; // a responsive chart takes its box, and has none of its own
    await Plotly.react(node, boxes, layout, { displaylogo: false, responsive: true, displayModeBar: false });
    node.dataset.drawn = String(boxes.length);
  }

  /**
   * @param {string} name
   * @param {string} type
   * @param {string} text
   * @param {string} title
   */
  file(name, type, text, title) {
    const href = URL.createObjectURL(new Blob([text], { type }));
    return el("a", { href, download: name, className: "race-file" }, title);
  }

  /** @param {string} text */
  notify(text) {
    if (this.notice) say(this.notice, text);
  }
}

customElements.define("unmask-race", RaceTab);
