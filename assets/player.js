/** A run on a page of its own: the stage, and the runs that stand in the page. Nothing is asked of anybody. */

import { withStage } from "./stage/of_page.js";
import { Stage } from "./stage/stage.js";

customElements.define("unmask-stage", Stage);

const runs = document.getElementById("runs")?.textContent ?? "[]";
withStage((unmask) => unmask.recordings.show(JSON.parse(runs)));
