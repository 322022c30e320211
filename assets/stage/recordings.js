/** Recordings that play on the stage: the first view, and files that a person opens; what the page says of them. */

import { bannerOf, sameWeights } from "../steer/card.js";
import { contents, staged } from "../wire/recordings.js";
import { sealOf } from "../wire/trace.js";

import { reactive } from "../wire/reactive.js";
import { EMPTY_FOR } from "../views/captions.js";
import { t } from "../looks/language.js";

/** @typedef {import("./controller.js").Controller} Controller */

const SEEN = "unmask-seen"; // where a browser remembers a first visit
const WARM = 600; // ms after the first view, which comes first

export class Recordings {
  state = reactive({
    /** @type {Map<string, import("../wire/trace.js").Seal>} those that a person brought, by their sessions */
    brought: new Map(),
    linked: "", // the sentence on a run that a link has opened
  });
  /** @type {Map<string, string>} the files that they were read from */
  files = new Map();

  /** @param {Controller} unmask */
  constructor(unmask) {
    this.unmask = unmask;
  }

  /** Whether a link has opened what is shown. */
  get linked() {
    return this.state.linked !== "";
  }

  /** A link has opened the run: what is to be told of that.
   * @param {string} sentence
   */
  fromLink(sentence) {
    this.state.linked = sentence;
  }

  /**
   * Play recorded runs until somebody touches something.
   * @param {string[]} addresses
   */
  async replay(addresses) {
    const texts = await Promise.all(addresses.map(async (at) => (await fetch(new URL(at, document.baseURI))).text()));
    if (this.unmask.opening || this.unmask.going || this.unmask.met) return; // somebody was quicker
    this.show(texts);
    this.greet();
    setTimeout(() => this.unmask.runs.warm(), WARM);
  }

  /** A first visit sees the recording from its empty canvas on, slowly; a later one finds it finished. */
  greet() {
    const { unmask } = this;
    if (!unmask.player.head.playing) return;
    if (seenBefore()) return unmask.player.move({ at: Infinity, playing: false });
    unmask.player.firstVisit(true);
    unmask.player.move({ hold: EMPTY_FOR });
  }

  /** Files that a person opened.
   * @param {File[]} files
   */
  async openFiles(files) {
    try {
      this.show(await contents(files));
      this.state.brought = new Map(Array.from(this.files, ([session, text]) => [session, sealOf(text)]));
      this.unmask.meet();
      await this.unmask.server.offers();
      const head = this.unmask.sides.find((side) => side.source === "replay" && this.files.has(side.session))?.head;
      const model = head?.model?.name ?? t("an unnamed model");
      const weights = sameWeights(head?.model, this.unmask.server.here);
      this.unmask.note(
        head?.source === undefined
          ? t("This is a recording by {model}; {weights}.", { model, weights })
          : t("This is a recording by {model}, made elsewhere.", { model }),
      );
    } catch (error) {
      this.unmask.note(error instanceof Error ? error.message : String(error), true);
    }
  }

  /** What stands above recordings that a person brought: whether one was changed, or made elsewhere. */
  get banner() {
    const { linked, brought } = this.state;
    if (linked) return linked;
    const side = this.unmask.sides.find(({ source, session }) => source === "replay" && brought.has(session));
    return side ? bannerOf(brought.get(side.session) ?? "none", side.head, this.unmask.server.here) : "";
  }

  /** A run that the server does not have any more, as after a restart: what this page has of it stays, as a recording.
   * @param {string} session
   */
  left(session) {
    const { unmask } = this;
    if (![...unmask.live, ...unmask.coming].some((side) => side.session === session)) return; // it was closed here
    if (unmask.next?.sides.some((side) => side.session === session)) unmask.giveUp();
    unmask.machine.send("gone");
    unmask.put(unmask.sides.map((side) => (side.session === session ? kept(side) : side)));
    unmask.selection.settle();
    unmask.note(t("The server does not have this run any more. What you see stays; Run starts a new one."), true);
  }

  /** @param {string[]} texts of trace files */
  show(texts) {
    const { sides, files } = staged(texts, this.unmask.sides);
    for (const side of this.unmask.live) this.unmask.send(side, { do: "close" });
    this.unmask.giveUp();
    this.unmask.selection.leave();
    this.unmask.inspect(false);
    for (const [session, text] of files) this.files.set(session, text);
    for (const session of this.files.keys())
      if (!sides.some((side) => side.session === session)) this.files.delete(session);
    this.unmask.undo.replaced();
    this.unmask.put(sides);
    this.unmask.player.firstVisit(false);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.unmask.player.move({ axis: "clock", at: 0, playing: !still, following: false });
  }
}

/** What this page has of a run that the server does not have any more: a recording.
 * @param {import("../wire/store.js").Side} side
 * @returns {import("../wire/store.js").Side}
 */
export function kept(side) {
  if (side.source !== "live") return { ...side, of: "" };
  return { ...side, source: "replay", keys: { left: side.session }, playing: false, waiting: null };
}

/** Whether this browser has seen the page before. */
function seenBefore() {
  try {
    const seen = localStorage.getItem(SEEN) !== null;
    localStorage.setItem(SEEN, "yes");
    return seen;
  } catch {
    return true; // nothing can be kept here: better no greeting than one each time
  }
}
