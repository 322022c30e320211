/** The button *Models* in the page's head; it opens a page of the dock, which is loaded then. */

import { el, say } from "../../assets/looks/dom.js";
import { t } from "../../assets/looks/language.js";
import { Panel } from "../../assets/stage/of_page.js";

export class Models extends Panel {
  setUp() {
    this.button = el("button", { type: "button", className: "quiet", onclick: () => void this.open() }, t("Models"));
    this.append(this.button);
    this.unmask.frames.add(() => this.show());
    document.addEventListener("unmask-models", (event) => void this.open(event instanceof CustomEvent && event.detail));
  }

  /** @type {import("./page.js").Page | undefined} made when somebody looks */
  page;

  /** How far the download of a model is. */
  show() {
    const { loading } = this.unmask;
    const share = loading?.total && !loading.stage ? loading.done / loading.total : (this.page?.shelf.share ?? 0);
    if (this.button)
      say(this.button, share ? t("Models {percent} %", { percent: Math.floor(100 * share) }) : t("Models"));
  }

  /** @param {boolean} [beside] what writes beside the first model is asked for */
  async open(beside = false) {
    /** @type {import("../../assets/looks/dock.js").Dock | null} */
    const dock = document.querySelector("unmask-dock");
    /** @type {import("../../assets/stage/stage.js").Stage | null} */
    const stage = document.querySelector("unmask-stage");
    if (!dock || !stage) return;
    const { Page } = await import("./page.js");
    this.page ??= new Page(this.unmask);
    dock.panels.get("models")?.replaceChildren(this.page.node);
    this.page.open(beside);
    await stage.open("models");
    dock.focus();
    if (!dock.beside) dock.scrollIntoView({ block: "start" });
  }
}
