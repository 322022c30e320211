/** The page of the dock with models: what this machine has, one field to find or name one, and a row for each. */

import { facts } from "../../assets/steer/card.js";
import { modelSentence } from "../../assets/steer/card.js";
import { size } from "../../assets/steer/book.js";
import { into } from "../../assets/looks/fields.js";
import { t } from "../../assets/looks/language.js";
import { html, nothing, render } from "../../assets/vendor/lit-html.js";
import { OwnModel } from "./own.js";
import { shelf } from "./shelf.js";
import { Sides } from "./sides.js";
import { called, comes, deeds, fitOf, groups, look, onDisk, progress } from "./words.js";

/** @typedef {import("./shelf.js").Row} Row */

export class Page {
  /** @param {import("../../assets/stage/controller.js").Controller} unmask */
  constructor(unmask) {
    this.unmask = unmask;
    this.shelf = shelf();
    this.sides = new Sides(unmask);
    this.own = new OwnModel(unmask, () => this.show());
    this.node = document.createElement("section");
    this.node.className = "models";
    this.node.addEventListener("keydown", (event) => this.key(event));
    unmask.frames.add(() => this.show());
  }

  typed = { name: "" };
  all = false; // also the models that are folded at first
  deleting = ""; // the model whose deletion is to be pressed again

  /** It was asked for: the server says what is there. The first time that wakes its engine.
   * @param {boolean} beside what writes beside the first model is asked for
   */
  open(beside) {
    this.sides.open ||= beside;
    void this.sides.ask();
    void this.shelf.look();
    this.show();
  }

  show() {
    const { sides, models, loading, server } = this.unmask;
    const { rows, machine, why, answered } = this.shelf.state;
    const found = groups(rows, this.own.isName(this.typed.name) ? "" : this.typed.name, this.all);
    const here = found[0]?.title === "" ? found.shift() : undefined;
    const more = rows.filter((row) => !onDisk(row) && !row.wanted).length;
    render(
      html`<p class="now">${modelSentence(sides, models, loading, server.here.size > 0)}</p>
        ${machine ? html`<p class="machine">${machineSentence(machine)}</p>` : nothing}
        <input
          class="find"
          type="search"
          spellcheck="false"
          autocomplete="off"
          maxlength="300"
          ?hidden=${this.own.closed !== ""}
          placeholder=${t("find one, or a Hub id, or a folder")}
          aria-label=${t("Another model: a hub id, a folder of this machine, or a server")}
          @input=${into(this.typed, "name", () => this.own.type(this.typed.name))}
          @keydown=${(/** @type {KeyboardEvent} */ event) => event.key === "Enter" && this.own.open()}
        />
        ${this.own.content()}
        <p class="why" role="status">${why || this.own.closed}</p>
        <h3>${t("On this machine")}</h3>
        <ul>
          ${this.pair()} ${here?.rows.map((row) => this.row(row))}
        </ul>
        ${answered ? nothing : html`<p class="machine" role="status">${t("Looking for models …")}</p>`}
        ${found.map(
          (group) =>
            html`<h3>${group.title}</h3>
              <ul>
                ${group.rows.map((row) => this.row(row))}
              </ul>`,
        )}
        ${
          more && !this.all
            ? html`<p>
                <button type="button" class="link" @click=${() => this.showAll()}>
                  ${t("Show all {n}", { n: rows.length })}
                </button>
              </p>`
            : nothing
        }
        ${this.sides.content()}`,
      this.node,
    );
  }

  showAll() {
    this.all = this.shelf.all = true;
    void this.shelf.look();
  }

  /** The models that the page opened with. */
  pair() {
    const { unmask } = this;
    const [home = "", twin] = unmask.runs.home;
    const present = unmask.models[0] === home;
    const card = unmask.sides.find(({ head }) => present && head.model)?.head.model;
    const size = card && facts(card).find(([name]) => name === "takes")?.[1];
    return html`<li data-state=${present ? "present" : "closed"} data-model=${home}>
      <h4>${t("The pair of this page")}</h4>
      <p class="good">${t("stories, lists, small sums")}: <em>“${unmask.runs.trusted[0]?.split("\n")[0] ?? ""}”</em></p>
      <p class="facts">${size ? html`<span>${size}</span>` : nothing}<span>${card?.licence ?? ""}</span></p>
      <p class="twin">${twin && twin !== home ? t("Its twin is here too: same size, same texts.") : ""}</p>
      <div class="deeds">
        ${present ? html`<b>${t("open")}</b>` : button(t("Open"), t("The pair of this page"), () => unmask.answerWith([]))}
      </div>
    </li>`;
  }

  /** @param {Row} row */
  row(row) {
    const { unmask, shelf } = this;
    const present = unmask.models[0] === row.name;
    const name = called(row.name);
    const coming = row.state === "coming" && row.total;
    const share = Math.min(1, row.need / (shelf.state.machine?.memory || row.need));
    return html`<li data-state=${present ? "present" : row.state} data-model=${row.name}>
      <h4 title=${row.name}>${name}</h4>
      <p class="good">${row.good}${row.asks ? html`: <em>“${row.asks}”</em>` : nothing}</p>
      <p class="facts">
        <span class="memory" data-fit=${row.fits ? (row.tight ? "tight" : "fits") : "none"} style="--share: ${share}"
          >${t("{size} of memory in {dtype}", { size: size(row.need), dtype: row.number })}, <b>${fitOf(row)}</b></span
        ><span>${t("{size} of disk", { size: size(row.here ? row.stored : row.disk) })}</span
        ><span>${look(row.seconds)}</span><span>${row.licence || t("no licence is stated")}</span>
      </p>
      ${
        coming
          ? html`<progress
              max=${coming}
              value=${row.done ?? 0}
              aria-label=${t("Opening of {model}", { model: name })}
            ></progress>`
          : nothing
      }
      <p class="state" role="status">${progress(row)}</p>
      ${row.twin ? this.twin(row) : nothing}
      <div class="deeds">
        ${present ? html`<b>${t("open")}</b>` : nothing}
        ${deeds(row, shelf.state.owner, present).map(([deed, word]) => {
          const twice = deed === "delete" && this.deleting === row.name;
          const says = twice ? t("Delete {size}?", { size: size(row.stored) }) : word;
          return button(says, name, () => this.act(deed, row, twice), deed === "delete" || deed === "close");
        })}
      </div>
    </li>`;
  }

  /** The model that may be compared with it: a download of its own.
   * @param {Row} row
   */
  twin({ name, twin }) {
    if (!twin) return nothing;
    const called_ = called(twin.name.split(":").pop() ?? "");
    const get = () => void this.shelf.look({ model: twin.name, do: "open" });
    const says =
      twin.state === "coming"
        ? `${t("Its twin {model} writes one word after another.", { model: called_ })} ${comes(twin, twin.name)}`
        : twin.here
          ? t("Its twin {model} is here, and writes beside it.", { model: called_ })
          : t("Its twin {model} writes one word after another.", { model: called_ });
    return html`<p class="twin">
      ${says}
      ${
        twin.here || twin.state === "coming" || !this.shelf.state.owner
          ? nothing
          : button(t("Get it too: {size}", { size: size(twin.download) }), called(name), get, true)
      }
      ${twin.state === "failed" ? html`<span class="state">${twin.why}</span>` : nothing}
    </p>`;
  }

  /**
   * @param {import("./shelf.js").Deed | "use"} deed
   * @param {Row} row
   * @param {boolean} sure it was pressed before
   */
  act(deed, row, sure) {
    this.deleting = deed === "delete" && !sure ? row.name : "";
    if (deed === "use") this.unmask.answerWith(withTwin(row));
    else if (deed !== "delete" || sure) void this.shelf.look({ model: row.name, do: deed });
    if (deed === "delete" && sure && this.unmask.runs.choice[0] === row.name) this.unmask.runs.choose([]);
    this.show();
  }

  /** Arrows go from row to row.
   * @param {KeyboardEvent} event
   */
  key(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = event.target instanceof HTMLButtonElement ? event.target.closest("li") : null;
    if (!by || !at) return;
    const rows = [...this.node.querySelectorAll("li:has(button)")];
    const next = rows[rows.indexOf(at) + by]?.querySelector("button");
    if (!next) return;
    event.preventDefault();
    next.focus();
  }
}

/** The models of both sides, with the twin where that is on this disk.
 * @param {Row} row
 */
export function withTwin({ name, twin }) {
  return twin?.here ? [name, twin.name] : [name];
}

/**
 * @param {string} word
 * @param {string} model
 * @param {() => void} act
 * @param {boolean} [quiet]
 */
function button(word, model, act, quiet = false) {
  return html`<button type="button" class=${quiet ? "link" : ""} aria-label="${word}: ${model}" @click=${act}>
    ${word}
  </button>`;
}

/** @param {import("./shelf.js").Machine} machine */
function machineSentence({ cores, memory, disk }) {
  return t("{n} cores here, {memory} of memory and {disk} of disk free.", {
    n: cores,
    memory: size(memory),
    disk: size(disk),
  });
}
