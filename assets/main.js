/** Brings the page's own elements to life. Gradio places them; they find each other through the instrument. */

import { Schedule } from "./schedule.js";
import { unmask } from "./controller.js";
import { Models } from "./models.js";
import { Stage } from "./stage.js";
import { Themes } from "./theme.js";
import { Curves, Maps } from "./panels.js";

Object.assign(globalThis, { unmask }); // the controls of Gradio speak to it

customElements.define("unmask-stage", Stage);
customElements.define("unmask-schedule", Schedule);
customElements.define("unmask-maps", Maps);
customElements.define("unmask-curves", Curves);
customElements.define("unmask-themes", Themes);
customElements.define("unmask-models", Models); // when the stage knows which models there are
