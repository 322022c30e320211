/** A class on the page: a button, a drawer to present or to join, and a strip for those who follow. */

import { covered, uncovered } from "../../assets/looks/back.js";
import { into, onSubmit } from "../../assets/looks/fields.js";
import { t } from "../../assets/looks/language.js";
import { Panel } from "../../assets/stage/of_page.js";
import { html, render } from "../../assets/vendor/lit-html.js";
import { Follower } from "./follower.js";
import { Presenter } from "./presenter.js";
import { KEPT, codeIn, remembered } from "./code.js";
import { Tally } from "./tally.js";

/** @typedef {import("../../assets/wire/canvas.js").Event} Event */

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
    this.drawer.className = "class-drawer";
    this.drawer.ariaLabel = t("Class");
    this.drawer.hidden = true;
    this.drawer.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
    document.body.append(this.drawer);
    this.show();
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

  drawer = document.createElement("aside");
  code = ""; // as it is typed
  wrong = ""; // why a class could not be entered
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
      this.open();
    }
    if (event.key) remember({ room: event.room, key: event.key });
    if (event.key) {
      this.presenter.key = event.key;
      this.presenter.shown = ""; // a server that was started again shows the class nothing
    }
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
      this.follower.leave = () => {
        this.send({ do: "leave" });
        this.end(t("You have left the class."));
      };
      this.follower.fields.name = event.name;
    }
    this.follower.right = event.right;
    remember({ room: event.room, seat: event.seat, name: event.name });
    document.documentElement.dataset.follows = "yes";
    this.unmask.others.join(true);
    this.unmask.meet();
    this.unmask.reserve("class"); // the recorded first view does not come any more
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
    this.unmask.others.join(false);
    this.show();
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
    this.wrong = why;
    this.show();
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
      const back = this.follower?.away;
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

  show() {
    render(
      html`<button type="button" class="class-open" aria-expanded=${!this.drawer.hidden} @click=${() => this.open()}>
        ${t("Class")}
      </button>`,
      this,
    );
    render(
      html`<header>
          <h2>${t("Class")}</h2>
          <button type="button" @click=${() => this.close()}>${t("Close")}</button>
        </header>
        <div class="class-body">${this.presenter ? this.presenter.node : this.door()}</div>`,
      this.drawer,
    );
  }

  /** To present a class, or to join one. */
  door() {
    return html`<div class="class-door">
      <p>${t("Others see your stage live on their own screens, can look around, and answer what you ask.")}</p>
      <button type="button" class="primary" @click=${() => this.begin()}>${t("Start a class")}</button>
      <form @submit=${onSubmit(() => this.enter(this.code))}>
        <label
          >${t("Or join one by its code")}<input
            type="text"
            placeholder="K7PM-3XQ9"
            maxlength="12"
            aria-label=${t("Code of the class")}
            @input=${into(this, "code")}
        /></label>
        <button type="submit">${t("Join")}</button>
      </form>
      <p role="alert" class="class-wrong">${this.wrong}</p>
    </div>`;
  }

  open() {
    document.documentElement.dataset.class = "open";
    this.drawer.hidden = false;
    covered(this.drawer, () => this.close());
    this.show();
  }

  close() {
    this.drawer.hidden = true;
    uncovered(this.drawer);
    delete document.documentElement.dataset.class;
    this.show();
  }
}

/** @param {Record<string, any>} row */
function remember(row) {
  sessionStorage.setItem(KEPT, JSON.stringify(row));
}
