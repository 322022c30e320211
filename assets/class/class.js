/** A class on the page: a button, a drawer to present or to join, and a strip for those who follow. */

import { covered, uncovered } from "../looks/back.js";
import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { Panel } from "../stage/of_page.js";
import { Follower } from "./follower.js";
import { Presenter } from "./presenter.js";
import { codeIn } from "./room.js";
import { Tally } from "./tally.js";

/** @typedef {import("../wire/canvas.js").Event} Event */

const KEPT = "unmask-class"; // in this tab alone, so that loading the page again comes back to the class
const DO = [
  "class",
  "enter",
  "show",
  "view",
  "freeze",
  "hand",
  "question",
  "answer",
  "reveal",
  "withdraw",
  "leave",
  "dismiss",
];

export class Classes extends Panel {
  setUp() {
    this.toggle = el("button", { type: "button", className: "class-open", onclick: () => this.open() }, t("Class"));
    this.toggle.setAttribute("aria-expanded", "false");
    this.append(this.toggle);
    this.fill();
  }

  fill() {
    this.code = el("input", {
      type: "text",
      placeholder: "K7PM-3XQ9",
      maxLength: 12,
      "aria-label": t("Code of the class"),
    });
    this.wrong = el("p", { role: "alert", className: "class-wrong" });
    this.door = el(
      "div",
      { className: "class-door" },
      el("p", {}, t("Others see your stage live on their own screens, can look around, and answer what you ask.")),
      el("button", { type: "button", className: "primary", onclick: () => this.begin() }, t("Start a class")),
      el(
        "form",
        {
          onsubmit: (/** @type {SubmitEvent} */ event) => {
            event.preventDefault();
            this.enter(this.code?.value ?? "");
          },
        },
        el("label", {}, t("Or join one by its code"), this.code),
        el("button", { type: "submit" }, t("Join")),
      ),
      this.wrong,
    );
    this.body = el("div", { className: "class-body" }, this.door);
    const close = el("button", { type: "button", onclick: () => this.close() }, t("Close"));
    this.drawer = el(
      "aside",
      { className: "class-drawer", ariaLabel: t("Class"), hidden: true },
      el("header", {}, el("h2", {}, t("Class")), close),
      this.body,
    );
    this.drawer.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
    document.body.append(this.drawer);
    this.unmask.listeners.add((event) => this.hear(event));
    this.unmask.others.askBeforeMoving(() => this.follower?.touched() ?? true);
    this.unmask.frames.add(() => this.watch());
    this.keys();
    const code = codeIn(location.hash);
    const kept = remembered();
    if (kept?.key) this.send({ do: "class", room: kept.room, key: kept.key });
    else if (code) this.enter(code);
    addEventListener("hashchange", () => codeIn(location.hash) && this.enter(codeIn(location.hash)));
  }

  /** @type {Presenter | null} */
  presenter = null;
  /** @type {Follower | null} */
  follower = null;
  lost = false;
  ended = ""; // a class that this page has ended: news of it may still be on the way
  /** @type {Tally | null} made when the stage is there */
  tally = null;

  /** @param {Record<string, any>} message */
  send = (message) => this.unmask.connection.send(message);

  begin() {
    this.send({ do: "class" });
  }

  /** @param {string} code */
  enter(code) {
    const kept = remembered();
    const room = code.toUpperCase().replace(/[\s-]/g, "");
    const seat = kept?.room === room ? (kept?.seat ?? "") : "";
    this.send({ do: "enter", room, seat, name: kept?.name ?? "" });
  }

  /** @param {Event} event */
  hear(event) {
    switch (event.did) {
      case "entered":
        this.attend(event);
        break;
      case "class":
        if (event.presents && event.room !== this.ended) this.present(event);
        break;
      case "dismissed":
        this.end(t("The class is over."));
        break;
      case "refused":
        if (DO.includes(event.do)) this.refused(event);
    }
    this.follower?.hear(event);
  }

  /** @param {Event} event */
  present(event) {
    if (!this.presenter) {
      this.presenter = new Presenter(this.unmask, (message) => {
        this.send(message);
        if (message.do !== "dismiss") return;
        this.ended = String(event.room);
        this.end(t("The class is over."));
      });
      this.body?.replaceChildren(this.presenter.node);
      this.open();
    }
    if (event.key) remember({ room: event.room, key: event.key });
    if (event.key) this.presenter.shown = "";
    this.presenter.hear(event);
    this.unmask.frames.redraw();
  }

  /** @param {Event} event */
  attend(event) {
    if (!this.follower) {
      this.follower = new Follower(this.unmask, this.send);
      this.follower.rename = (name) => {
        remember({ ...remembered(), name });
        this.enter(remembered()?.room ?? "");
      };
      this.follower.depart = () => {
        this.send({ do: "leave" });
        this.end(t("You have left the class."));
      };
      this.follower.name.value = event.name;
    }
    this.follower.right = event.right;
    remember({ room: event.room, seat: event.seat, name: event.name });
    document.documentElement.dataset.follows = "yes";
    this.unmask.meet();
    this.unmask.waitFor("class"); // the recorded first view does not come any more
    this.close();
  }

  /** @param {string} why */
  end(why) {
    sessionStorage.removeItem(KEPT);
    delete document.documentElement.dataset.follows;
    this.follower?.node.remove();
    this.presenter?.leave();
    this.presenter = this.follower = null;
    this.unmask.others.follow([]);
    if (this.door) this.body?.replaceChildren(this.door);
    this.tally?.show(0, null, undefined);
    this.unmask.note(why);
  }

  /** @param {Event} event */
  refused(event) {
    const why = `${String(event.why).charAt(0).toUpperCase()}${String(event.why).slice(1)}.`;
    if (["class", "enter"].includes(event.do)) {
      sessionStorage.removeItem(KEPT);
      if (this.follower || this.presenter) this.end(why);
      this.open();
    }
    if (this.wrong) say(this.wrong, why);
    this.unmask.note(why, true);
  }

  watch() {
    if (this.unmask.link === "lost") this.lost = true;
    else if (this.lost && this.unmask.link === "open") {
      this.lost = false;
      const kept = remembered();
      if (this.presenter && kept?.key) this.send({ do: "class", room: kept.room, key: kept.key });
      else if (this.follower && kept) this.enter(kept.room);
    }
    this.presenter?.watch();
    if (this.follower && !this.follower.node.isConnected)
      document.querySelector("unmask-stage")?.before(this.follower.node); // which may come later than the class
    const state = this.follower?.state ?? this.presenter?.state;
    const topic = state?.revealed ?? state?.question;
    const side = this.unmask.sides.findIndex(({ session }) => session !== "" && session === topic?.session);
    const there = topic && side >= 0;
    this.tally ??= topic ? new Tally() : null;
    this.tally?.show(side, there ? state?.question : null, there && !state?.question ? state?.revealed : undefined);
  }

  keys() {
    document.addEventListener("keydown", (event) => {
      const typing =
        event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable]");
      const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
      const back = this.follower && !this.follower.back.hidden;
      if (!typing && plain && back && event.key.toLowerCase() === "c") {
        event.preventDefault();
        event.stopImmediatePropagation();
        this.follower?.catchUp();
      }
    });
    document.addEventListener("click", (event) => {
      const cell = event.target instanceof Element ? event.target.closest('.side[data-side="0"] [data-cell]') : null;
      if (cell instanceof HTMLElement) this.follower?.click(Number(cell.dataset.cell));
    });
  }

  open() {
    document.documentElement.dataset.class = "open";
    if (this.drawer) {
      this.drawer.hidden = false;
      covered(this.drawer, () => this.close());
    }
    this.toggle?.setAttribute("aria-expanded", "true");
  }

  close() {
    if (this.drawer) {
      this.drawer.hidden = true;
      uncovered(this.drawer);
    }
    delete document.documentElement.dataset.class;
    this.toggle?.setAttribute("aria-expanded", "false");
  }
}

/** @returns {{room: string, key?: string, seat?: string, name?: string} | null} */
function remembered() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
  } catch {
    return null;
  }
}

/** @param {Record<string, any>} row */
function remember(row) {
  sessionStorage.setItem(KEPT, JSON.stringify(row));
}

customElements.define("unmask-class", Classes);
