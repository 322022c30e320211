/** Who can race: the models here, rivals on the web with a key, and servers of one's own. A form, and what it asks for. */

import { into } from "../../assets/looks/fields.js";
import { t } from "../../assets/looks/language.js";
import { html, nothing, render } from "../../assets/vendor/lit-html.js";
import { quotaLine } from "./quota.js";

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
/** @typedef {{model: string, chosen: boolean}} Local */
/** @typedef {{ways: Rival[], card: string, chosen: boolean, key: string, drafts: boolean, effort: string}} Remote */
/** @typedef {{address: string, name: string, key: string, drafts: boolean}} Own */

export class Entrants {
  node = document.createElement("div");
  /** @type {Local[]} */
  here = [];
  /** @type {Remote[]} a model each, by the way that is chosen */
  remotes = [];
  /** @type {Own[]} */
  own = [];
  /** @type {import("./quota.js").Quota | null} */
  quota = null;

  /** @param {() => void} again asks the server once more who can race */
  constructor(again) {
    this.again = again;
    this.node.className = "race-choice";
  }

  /**
   * @param {string[]} ours
   * @param {Rival[]} rivals
   * @param {import("./quota.js").Quota | null} quota
   */
  offer(ours, rivals, quota) {
    /** @type {Map<string, Rival[]>} */
    const models = new Map();
    for (const rival of rivals) models.set(modelOf(rival), [...(models.get(modelOf(rival)) ?? []), rival]);
    this.here = ours.map((model, i) => ({ model, chosen: i < 2 }));
    this.remotes = [...models.values()].map((ways) => ({
      ways,
      card: (ways.find((way) => way.key) ?? ways[0])?.card ?? "",
      ...{ chosen: false, key: "", drafts: true, effort: "" },
    }));
    this.own = [emptyServer()];
    this.quota = quota;
    this.show();
  }

  /** How many models can be raced with a key that is here. */
  get keyed() {
    return this.remotes.filter(hasKey).length;
  }

  /** The request rows of the chosen entrants.
   * @returns {Row[]}
   */
  get chosen() {
    return [
      ...this.here.filter(({ chosen }) => chosen).map(({ model }) => ({ model })),
      ...[...this.remotes].sort((a, b) => Number(hasKey(b)) - Number(hasKey(a))).flatMap(remoteRequest),
      ...this.own.flatMap(ownRequest),
    ];
  }

  show() {
    const others = this.remotes.filter((remote) => !hasKey(remote));
    const another = () => {
      this.own = [...this.own, emptyServer()];
      this.show();
    };
    render(
      html`<fieldset class="race-here">
          <legend>${t("From here")}</legend>
          ${this.here.map((local) => this.local(local))}
        </fieldset>
        <fieldset>
          <legend>${t("Rivals")}</legend>
          ${this.remotes.filter(hasKey).map((remote) => this.remote(remote))}
          ${this.quota ? quotaLine(this.quota, this.again) : nothing}
          <details>
            <summary>${t("{n} more with a key of yours, or a server of your own", { n: others.length })}</summary>
            ${others.map((remote) => this.remote(remote))} ${this.own.map((own) => this.server(own))}
            <button type="button" @click=${another}>${t("Another server of your own")}</button>
          </details>
        </fieldset>`,
      this.node,
    );
  }

  /**
   * @template {object} T
   * @param {T} entrant
   * @param {keyof T} name
   */
  into(entrant, name) {
    return into(entrant, name, () => this.show());
  }

  /** @param {Local} local */
  local(local) {
    return html`<label class="race-entrant">
      <input
        type="checkbox"
        data-entrant=${local.model}
        .checked=${local.chosen}
        @change=${this.into(local, "chosen")}
      /><span>${local.model}</span>
    </label>`;
  }

  /** @param {Remote} remote */
  remote(remote) {
    const way = wayOf(remote);
    const name = remote.ways[0]?.title ?? "";
    const { efforts, diffusing } = way;
    const choose = (/** @type {any} */ { target }) => {
      Object.assign(remote, { card: target.value, effort: "" });
      this.show();
    };
    return html`<div class="race-entrant">
      <label class="race-name">
        <input
          type="checkbox"
          data-entrant=${modelOf(way)}
          .checked=${remote.chosen}
          @change=${this.into(remote, "chosen")}
        /><span>${name}</span>
      </label>
      <select aria-label=${t("How {name} is reached", { name })} @change=${choose}>
        ${remote.ways.map(({ card, where }) => html`<option value=${card} ?selected=${card === remote.card}>${where}</option>`)}
      </select>
      <input
        type="password"
        autocomplete="off"
        placeholder=${t("your key")}
        aria-label=${t("Key for {name}", { name })}
        ?hidden=${way.key}
        @input=${this.into(remote, "key")}
      />
      <select
        aria-label=${t("Reasoning of {name}", { name })}
        ?hidden=${!efforts.length}
        .value=${remote.effort}
        @change=${this.into(remote, "effort")}
      >
        <option value="">${t("its own effort")}</option>
        ${efforts.map((effort) => html`<option value=${effort}>${t("effort: {name}", { name: effort })}</option>`)}
      </select>
      <label ?hidden=${!diffusing}>
        <input type="checkbox" .checked=${remote.drafts} @change=${this.into(remote, "drafts")} /><span
          >${t("show its drafts")}</span
        >
      </label>
      <small>${facts(way)}</small>
    </div>`;
  }

  /** Any server that speaks OpenAI's interface.
   * @param {Own} own
   */
  server(own) {
    return html`<div class="race-entrant race-own">
      <span>${t("Your own")}</span>
      <input
        type="url"
        placeholder="https://host/v1"
        aria-label=${t("Address of your own server")}
        @input=${this.into(own, "address")}
      />
      <input type="text" placeholder=${t("model")} aria-label=${t("Its model")} @input=${this.into(own, "name")} />
      <input
        type="password"
        autocomplete="off"
        placeholder=${t("key, if any")}
        aria-label=${t("Its key")}
        @input=${this.into(own, "key")}
      />
      <label> <input type="checkbox" @change=${this.into(own, "drafts")} /><span>${t("ask for drafts")}</span> </label>
    </div>`;
  }
}

/** @returns {Own} */
function emptyServer() {
  return { address: "", name: "", key: "", drafts: false };
}

/** @param {Rival} rival */
function modelOf({ card }) {
  return card.split(" ")[0] ?? "";
}

/** @param {Remote} remote */
function hasKey({ ways }) {
  return ways.some((way) => way.key);
}

/** @param {Remote} remote */
function wayOf({ ways, card }) {
  return /** @type {Rival} */ (ways.find((way) => way.card === card) ?? ways[0]);
}

/** @param {Remote} remote */
function remoteRequest(remote) {
  if (!remote.chosen) return [];
  const { card, key, diffusing } = wayOf(remote);
  const typed = remote.key && !key ? { key: remote.key } : {};
  return [{ card, diffusing: diffusing && remote.drafts, effort: remote.effort, ...typed }];
}

/** @param {Own} own */
function ownRequest({ address, name, key, drafts }) {
  return address && name ? [{ address, name, diffusing: drafts, ...(key ? { key } : {}) }] : [];
}

/** What is known of a way to reach a model.
 * @param {Rival} way
 */
function facts({ price, kind, confirmed, key, wanted }) {
  const variable = /[A-Z]+_[A-Z_]+/.exec(wanted)?.[0] ?? "";
  const cost = price
    ? t("${in} in, ${out} out per million ({date})", { in: price.input, out: price.output, date: price.date })
    : t("price unknown");
  return [
    t(kind),
    cost,
    confirmed ? "" : t("its name there is not confirmed"),
    key ? "" : t("set {key} before starting, or type a key for this session", { key: variable }),
  ]
    .filter(Boolean)
    .join(" · ");
}
