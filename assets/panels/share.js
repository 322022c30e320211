/** Share: a button in the page's head, and a page of the dock with a picture of the run and the ways to take it away. */

import { el } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { Panel } from "../stage/of_page.js";
import { sharePanel } from "../takeaway/share.js";
import { stageOf } from "../takeaway/scene.js";

export class Share extends Panel {
  setUp() {
    const { unmask } = this;
    this.panel = sharePanel(
      () => stageOf(unmask),
      (text, refused) => unmask.note(text, refused),
    );
    unmask.frames.add(() => this.draw());
    this.append(el("button", { type: "button", className: "quiet", onclick: () => this.open() }, t("Share")));
  }

  /** @type {ReturnType<typeof sharePanel> | undefined} */
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

  open() {
    /** @type {import("../looks/dock.js").Dock | null} */
    const dock = document.querySelector("unmask-dock");
    /** @type {import("../stage/stage.js").Stage | null} */
    const stage = document.querySelector("unmask-stage");
    if (!dock || !stage || !this.panel) return;
    dock.panels.get("share")?.replaceChildren(this.panel.node);
    stage.open("share");
    dock.focus();
    if (!dock.beside) dock.scrollIntoView({ block: "start" });
  }
}
