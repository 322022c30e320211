/** The numbers of one side, what thinks there, and what can be taken from it or asked of it as a whole. */

import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { costOf, readings } from "./meters.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {{fit: (side: number) => void, script: (side: number) => void, save: (side: number) => string}} Handlers */

export class Numbers {
  /**
   * @param {number} number
   * @param {Handlers} handlers
   */
  constructor(number, handlers) {
    this.heading = el("h3", {});
    this.badge = el("span", { className: "badge" });
    this.state = el("span", { className: "state" });
    this.model = el("p", { className: "model" });
    this.meters = el("dl", { className: "meters" });
    this.whose = el("p", { className: "whose", hidden: true });
    this.fit = link(t("Which words clash?"), t("See how the words about to be written suit each other"), () =>
      handlers.fit(number),
    );
    this.script = link(t("Copy as Python"), t("This run as a script for the engine"), () => handlers.script(number));
    this.save = el("a", {
      className: "save",
      role: "button",
      download: "run.trace.jsonl", // a recording of the page's own has no name; the server names the others
      href: "#", // or the keyboard would not find it; where it really leads is known when it is pressed
      hidden: true,
      title: t("Take this run away as a file; drop it on the page to replay it"),
      onclick: () => Object.assign(this.save, { href: handlers.save(number) }),
    });
    this.save.textContent = t("Save run");
    this.node = el(
      "section",
      { className: "numbers", "data-side": number },
      el("header", {}, this.heading, this.badge, this.state),
      this.model,
      this.meters,
      this.whose,
      el("div", { className: "foot" }, this.fit, this.script, this.save),
    );
  }

  /**
   * @param {Side} side
   * @param {number} at
   * @param {{name: string, badge: string, state: string, weights: string}} says
   * @param {import("../stage/quality.js").Quality | null | undefined} quality
   * @param {Side} timed the side with the times that it plays at
   * @param {string} machine the name of another machine, if those are its times
   */
  show(side, at, { name, badge, state, weights }, quality, timed = side, machine = "") {
    say(this.heading, name);
    say(this.badge, badge);
    this.badge.hidden = !badge;
    say(this.state, state);
    const line = modelLine(side, weights);
    say(this.model, line);
    if (this.meters.ariaLabel !== name) this.meters.ariaLabel = t("{name}: numbers", { name });
    say(this.whose, machine ? t("Times on one {chip}, modelled.", { chip: machine }) : "");
    this.whose.hidden = !machine;
    this.node.dataset.source = side.source;
    this.save.hidden = side.source === "empty" || !side.moments.length || side.of !== "" || Boolean(side.keys.left); // its run has all branches
    this.script.hidden = side.source !== "live";
    this.fit.hidden = side.source !== "live" || Boolean(side.head.causal); // one word at a time suits itself
    readings(costOf(timed, at), quality).forEach(({ name: label, value, title }, i) => {
      let entry = /** @type {HTMLElement | undefined} */ (this.meters.children[i]);
      if (!entry) {
        entry = el("div", { title, "data-meter": label }, el("dt", {}, t(label)), el("dd", {}));
        this.meters.append(entry);
      }
      if (entry.title !== title) entry.title = title;
      say(/** @type {Node} */ (entry.lastElementChild), value);
    });
  }
}

/**
 * A button that looks like a link.
 * @param {string} text
 * @param {string} title
 * @param {() => void} onclick
 */
function link(text, title, onclick) {
  return el("button", { type: "button", className: "ask", title, hidden: true, onclick }, text);
}

/** What thinks here, on what, and what must be known about it.
 * @param {Side} side
 * @param {string} weights
 */
function modelLine(side, weights) {
  const { name, device, number, trained, note } = side.head.model ?? {};
  if (!name) return "";
  const words = [
    name,
    device && `${device}${number ? ` ${number}` : ""}`,
    trained === false ? t("no trained weights") : "",
    side.source === "replay" ? weights : "",
    t(note ?? ""),
  ];
  return words.filter(Boolean).join(" · ");
}
