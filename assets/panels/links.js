/** The link in the page's address: opened, with a sentence above the stage on what became of it. Also how a page is framed. */

import { setField } from "../ask/fields.js";
import { unmask } from "../stage/page.js";
import { cameOut, differences, KEY, openLink, sentenceOf, unpacked } from "../links/link.js";
import { frame } from "../links/frame.js";
import { t } from "../looks/language.js";

/** @typedef {import("../links/link.js").Link} Link */

export class Links extends HTMLElement {
  connectedCallback() {
    if (this.watching) return;
    this.watching = true;
    frame(new URL(location.href));
    addEventListener("hashchange", () => linked() && void this.open());
    if (!linked()) return;
    unmask.opening = KEY; // the recorded first view is not shown
    const begin = () => {
      if (!unmask.models.length) return; // the stage is not there yet
      unmask.watchers.delete(begin);
      void this.open();
    };
    unmask.watchers.add(begin);
  }

  watching = false;
  /** @type {Link | null} */
  link = null;
  /** @type {(boolean | null)[]} of each side, whether it came out as it was */
  out = [];
  /** @type {string[]} what was replaced before the run began */
  replaced = [];
  id = "";

  async open() {
    document.body.dataset.stands = "yes"; // the stage fills when the models are open
    try {
      this.link = await unpacked(location.hash);
    } catch (error) {
      this.link = null;
      this.refuse(error instanceof Error ? error.message : String(error));
      return;
    }
    if (!this.link) return;
    const models = await this.models(this.link);
    const message = openLink(this.link, models, unmask.newId());
    const [first] = message.sides;
    // a link of one side stands beside its model's twin, as any run does
    if (message.sides.length < 2)
      message.sides.push({ model: models[1], length: first?.length ?? 1, preset: null, settings: {}, edits: [] });
    unmask.models = models;
    unmask.runs.trusted.push(this.link.prompt);
    unmask.values = { ...unmask.values, prompt: this.link.prompt, length: first?.length };
    setField("prompt", this.link.prompt.trim());
    unmask.open(/** @type {any} */ (message));
    this.id = message.id;
    this.out = this.link.sides.map(() => null);
    unmask.watchers.add(this.watch);
  }

  /** A link may name no model that is not here: nobody's address makes this server fetch one.
   * @param {Link} link
   */
  async models(link) {
    const offers = await unmask.offers();
    const there = new Set(offers?.models ?? unmask.models);
    this.replaced = [];
    return [0, 1].map((i) => {
      const own = unmask.models[i] ?? unmask.models[0] ?? "";
      const wanted = link.sides[i]?.model ?? own;
      if (there.has(wanted)) return wanted;
      const other = wanted.slice(0, 40);
      this.replaced.push(
        t("another model ({other}, which is not open here; {model} runs instead)", { other, model: own }),
      );
      return own;
    });
  }

  watch = () => {
    const { link } = this;
    if (!link || unmask.opening !== this.id) {
      unmask.watchers.delete(this.watch);
      return;
    }
    const sides = unmask.next?.sides ?? unmask.sides;
    if (!link.sides.every((_, i) => sides[i]?.session)) return;
    this.out = link.sides.map((one, i) => this.out[i] || cameOut(one, /** @type {any} */ (sides[i])));
    const found = link.sides.flatMap((one, i) => differences(one, sides[i]?.head ?? {}));
    const sentence = sentenceOf([...this.replaced, ...found], this.out);
    if (unmask.recordings.linked === sentence) return;
    unmask.recordings.linked = sentence;
    unmask.changed();
  };

  /** @param {string} why */
  refuse(why) {
    unmask.opening = "";
    unmask.recordings.linked = why;
    unmask.note(why, true);
    const recorded = document.querySelector("unmask-stage")?.getAttribute("data-replay");
    if (unmask.sides.every(({ source }) => source === "empty"))
      void unmask.recordings.replay(JSON.parse(recorded ?? "[]"));
  }
}

/** Whether the page's address holds a link. */
function linked() {
  return location.hash.includes(`${KEY}=`);
}
