/** A link that is opened, with a sentence above the stage on what became of it. */

import { setField } from "../ask/fields.js";
import { ChangesAgain } from "../links/changes_again.js";
import { cameOut, differences, openLink, sentenceOf, unpacked } from "../links/link.js";
import { t } from "../looks/language.js";

/** @typedef {import("../links/link.js").Link} Link */

export class OpenedLink {
  /** @param {import("../stage/controller.js").Controller} unmask */
  constructor(unmask) {
    this.unmask = unmask;
    this.changes = new ChangesAgain(unmask, []);
  }

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
    const message = openLink(this.link, models, this.unmask.newId());
    for (const side of message.sides) side.edits = []; // they are made once the text before them has been seen
    const [first] = message.sides;
    // a link of one side stands beside its model's twin, as any run does
    if (message.sides.length < 2)
      message.sides.push({ model: models[1], length: first?.length ?? 1, preset: null, settings: {}, edits: [] });
    this.unmask.setModels(models);
    this.unmask.runs.trust(this.link.prompt);
    this.unmask.setValues({ ...this.unmask.values, prompt: this.link.prompt, length: first?.length });
    setField("prompt", this.link.prompt.trim());
    this.unmask.open(/** @type {any} */ (message));
    this.id = message.id;
    this.out = this.link.sides.map(() => null);
    this.changes = new ChangesAgain(this.unmask, this.link.sides);
    this.stop();
    this.stop = this.unmask.frames.add(() => this.watch());
  }

  /** A link may only name models that are on this server: opening a link must not start a download.
   * @param {Link} link
   */
  async models(link) {
    const offers = await this.unmask.server.offers();
    const there = new Set(offers?.models ?? this.unmask.models);
    this.replaced = [];
    return [0, 1].map((i) => {
      const own = this.unmask.models[i] ?? this.unmask.models[0] ?? "";
      const wanted = link.sides[i]?.model ?? own;
      if (there.has(wanted)) return wanted;
      const other = wanted.slice(0, 40);
      this.replaced.push(
        t("another model ({other}, which is not open here; {model} runs instead)", { other, model: own }),
      );
      return own;
    });
  }

  stop = () => {}; // no run is compared with a link

  watch() {
    const { link, changes } = this;
    if (!link || this.unmask.opening !== this.id) return this.stop();
    const sides = this.unmask.next?.sides ?? this.unmask.sides;
    if (!link.sides.every((_, i) => sides[i]?.session)) return;
    changes.show(performance.now());
    const made = !changes.pending && !this.unmask.steering.changing;
    this.out = link.sides.map((one, i) => this.out[i] || cameOut(one, /** @type {any} */ (sides[i]), made));
    const found = link.sides.flatMap((one, i) => differences(one, sides[i]?.head ?? {}));
    const sentence = sentenceOf([...this.replaced, ...found], this.out, changes.pending);
    this.unmask.recordings.fromLink(sentence);
  }

  /** @param {string} why */
  refuse(why) {
    this.unmask.giveUp();
    this.unmask.recordings.fromLink(why);
    this.unmask.note(why, true);
    const recorded = document.querySelector("unmask-stage")?.getAttribute("data-replay");
    if (this.unmask.sides.every(({ source }) => source === "empty"))
      void this.unmask.recordings.replay(JSON.parse(recorded ?? "[]"));
  }
}
