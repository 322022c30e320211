/** The link in the page's address, which is opened by a script that is loaded for it. Also how a page is framed. */

import { KEY, frame } from "../links/frame.js";
import { Panel } from "../stage/of_page.js";

export class Links extends Panel {
  connectedCallback() {
    if (!this.placed) frame(new URL(location.href));
    super.connectedCallback();
  }

  setUp() {
    addEventListener("hashchange", () => linked() && void this.open());
    if (!linked()) return;
    this.unmask.reserve(KEY); // the recorded first view is not shown
    void this.open();
  }

  /** @type {import("./opened_link.js").OpenedLink | undefined} */
  opened;

  async open() {
    const { OpenedLink } = await import("./opened_link.js");
    this.opened ??= new OpenedLink(this.unmask);
    await this.opened.open();
  }
}

/** Whether the page's address holds a link. */
function linked() {
  return location.hash.includes(`${KEY}=`);
}
