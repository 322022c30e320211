/** Brings the page's own elements to life. Gradio places them; they find each other through the instrument. */

import { Drawn } from "./drawn.js";
import { unmask } from "./instrument.js";
import { Models } from "./menu.js";
import { Stage } from "./stage.js";
import { Themes } from "./theme.js";
import { Curves, Maps } from "./views.js";

Object.assign(globalThis, { unmask }); // the controls of Gradio speak to it

customElements.define("unmask-stage", Stage);
customElements.define("unmask-drawn", Drawn);
customElements.define("unmask-maps", Maps);
customElements.define("unmask-curves", Curves);
customElements.define("unmask-themes", Themes);
customElements.define("unmask-models", Models); // when the stage has said which models there are
