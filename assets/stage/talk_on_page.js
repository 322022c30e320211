/** A talk on the page: the mark of a chat form, *Ask further* in place of Run, *new talk*, and the tabs of its answers. */

import { el } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { promptField } from "../ask/fields.js";
import { ofTalk } from "../cells/face.js";
import { faceInTalk, templateOf } from "../cells/template.js";
import { drawForm } from "./chat_form.js";
import { Talk } from "./talk.js";
import { TalkTabs } from "./talk_tabs.js";

/** @typedef {import("./stage.js").Stage} Stage */
/** @typedef {import("./side.js").SideView} SideView */

/** A run of a model with a chat template is on the stage, or comes: from now on a question can go on from it.
 * @param {Stage} stage
 */
export function beginTalks(stage) {
  const { controller } = stage;
  if (controller.talk) return; // it was asked for with two frames
  const talk = new Talk(controller);
  controller.talks(talk);
  ofTalk.face = faceInTalk;
  for (const view of stage.views) Object.assign(view, { seen: [], look: null, directed: null }); // painted anew
  const tabs = new TalkTabs(talk);
  stage.track?.node.before(tabs.node);
  const marks = stage.views.map((view) => new FormMark(view, stage));
  const question = new NextQuestion(talk);
  controller.frames.add(() => {
    talk.follow();
    for (const mark of marks) mark.show();
    question.show();
    tabs.show();
  });
  stage.fit?.again();
}

/** The mark of a prompt that was asked in a chat form, and the form itself on wish. */
class FormMark {
  /**
   * @param {SideView} view
   * @param {Stage} stage
   */
  constructor(view, stage) {
    this.view = view;
    this.stage = stage;
    this.form = el("p", { className: "form", hidden: true });
    this.button = el("button", { type: "button", className: "asked", hidden: true, onclick: () => this.turn() });
    view.header.after(this.form);
    view.header.querySelector(".count")?.before(this.button);
  }

  open = "none"; // the run whose form is shown

  get side() {
    return this.stage.controller.side(this.view.number);
  }

  turn() {
    const { session } = this.side;
    this.open = this.open === session ? "none" : session;
    this.show();
    this.stage.fit?.again();
  }

  show() {
    const { side } = this;
    const has = templateOf(side) !== null;
    const open = has && this.open === side.session;
    this.button.hidden = !has;
    this.button.ariaExpanded = String(open);
    this.button.textContent = open ? t("hide its chat form") : t("asked in its chat form");
    this.form.hidden = !open;
    if (open) drawForm(this.form, side);
  }
}

/** Run goes on with a talk where the prompt is another question; beside it stands what begins a new talk. */
class NextQuestion {
  /** @param {Talk} talk */
  constructor(talk) {
    this.talk = talk;
    this.run = document.getElementById("run");
    this.label = this.run?.textContent ?? "";
    this.another = /** @type {HTMLElement | null} */ (document.querySelector("unmask-another > .another"));
    this.fresh = el(
      "button",
      { type: "button", className: "another fresh", hidden: true, onclick: () => talk.begin() },
      el("span", {}, t("new talk")),
      " +",
    );
    this.another?.after(this.fresh);
  }

  show() {
    const further = this.talk.further(promptField()?.value ?? "");
    if (!this.run || !this.another || this.fresh.hidden === !further) return;
    this.run.textContent = further ? t("Ask further") : this.label;
    this.fresh.hidden = !further;
    this.another.hidden = further;
  }
}
