/** Share: a button in the page's head, and a page of the dock with a picture of the run and the ways to take it away. */

import { el } from "../../assets/looks/dom.js";
import { t } from "../../assets/looks/language.js";
import { Panel } from "../../assets/stage/of_page.js";

export class Share extends Panel {
  setUp() {
    this.unmask.frames.add(() => this.draw());
    this.append(el("button", { type: "button", className: "quiet", onclick: () => void this.open() }, t("Share")));
  }

  /** @type {ReturnType<typeof import("./share.js").sharePanel> | undefined} made when somebody shares */
  panel;
  drawn = ""; // the run whose picture is shown

  /** The picture of the run, while somebody sees it and nothing moves. */
  draw() {
    const { sides, player } = this.unmask;
    if (!this.panel?.node.checkVisibility() || player.head.playing) return;
    const key = sides.map((side) => `${side.session}:${side.branch}:${side.moments.length}`).join(" ");
    if (key !== this.drawn) this.panel.show();
    this.drawn = key;
  }

  async open() {
    /** @type {import("../../assets/looks/dock.js").Dock | null} */
    const dock = document.querySelector("unmask-dock");
    /** @type {import("../../assets/stage/stage.js").Stage | null} */
    const stage = document.querySelector("unmask-stage");
    if (!dock || !stage) return;
    if (!this.panel) await this.load();
    if (this.panel) dock.panels.get("share")?.replaceChildren(this.panel.node);
    await stage.open("share");
    dock.focus();
    if (!dock.beside) dock.scrollIntoView({ block: "start" });
  }

  async load() {
    const { unmask } = this;
    const [{ sharePanel }, { stageOf }] = await Promise.all([
      import("./share.js"),
      import("../../assets/pictures/scene.js"),
    ]);
    this.panel ??= sharePanel(
      () => stageOf(unmask),
      (text, refused) => unmask.note(text, refused),
    );
  }
}
