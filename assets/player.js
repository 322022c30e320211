/** A run on a page of its own: the stage, and the runs that stand in the page, or those that the page around it sends. */

import { offerPort } from "./stage/mounted.js";
import { withStage } from "./stage/of_page.js";
import { Stage } from "./stage/stage.js";

customElements.define("unmask-stage", Stage);

const runs = JSON.parse(document.getElementById("runs")?.textContent ?? "[]");
withStage((unmask) => {
  if (runs.length) unmask.recordings.show(runs);
  offerPort(unmask);
});
