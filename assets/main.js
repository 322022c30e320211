/** Brings the page's own elements to life. Gradio places them; they find each other through the instrument. */

import { Ask } from "./ask/ask.js";
import { Decoders } from "./steer/decoders.js";
import { Governs, Schedule } from "./steer/schedule.js";
import { unmask } from "./stage/controller.js";
import { Links } from "./links/links.js";
import { Models } from "./steer/models.js";
import { Stage } from "./stage/stage.js";
import { Terms } from "./looks/terms.js";
import { Tour } from "./tour/tour.js";
import { Themes } from "./looks/theme.js";
import { Curves, Maps } from "./views/panels.js";

Object.assign(globalThis, { unmask }); // the controls of Gradio speak to it

customElements.define("unmask-links", Links); // before the stage: it may want the stage to wait for a link
customElements.define("unmask-stage", Stage);
customElements.define("unmask-ask", Ask);
customElements.define("unmask-schedule", Schedule);
customElements.define("unmask-decoders", Decoders);
customElements.define("unmask-governs", Governs);
customElements.define("unmask-maps", Maps);
customElements.define("unmask-curves", Curves);
customElements.define("unmask-terms", Terms);
customElements.define("unmask-tour", Tour);
customElements.define("unmask-themes", Themes);
customElements.define("unmask-models", Models); // when the stage knows which models there are
