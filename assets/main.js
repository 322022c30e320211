/** Brings the page's own elements to life. Gradio places them; they find each other through the instrument. */

import { Ask } from "./panels/ask.js";
import { DecoderDial } from "./panels/decoder_dial.js";
import { DecoderList } from "./panels/decoder_list.js";
import { Decoders } from "./panels/decoders.js";
import { Governs, Schedule } from "./panels/schedule.js";
import { Links } from "./panels/links.js";
import { Models } from "./panels/models.js";
import { Share } from "./panels/share.js";
import { Stage } from "./stage/stage.js";
import { Dock } from "./looks/dock.js";
import { defineWanted } from "./looks/features.js";
import { Part } from "./looks/part.js";
import { ManyRuns } from "./panels/many_runs.js";
import { Menu, Tools } from "./panels/menu.js";
import { Another } from "./ask/another.js";
import { translateForms } from "./looks/language.js";
import { Themes } from "./looks/theme.js";
import { Curves, Maps } from "./panels/maps_and_curves.js";

customElements.define("unmask-links", Links); // before the stage: it may want the stage to wait for a link
customElements.define("unmask-dock", Dock);
customElements.define("unmask-stage", Stage);
customElements.define("unmask-ask", Ask);
customElements.define("unmask-schedule", Schedule);
customElements.define("unmask-decoders", Decoders);
customElements.define("unmask-decoder-list", DecoderList);
customElements.define("unmask-dial", DecoderDial);
customElements.define("unmask-governs", Governs);
customElements.define("unmask-maps", Maps);
customElements.define("unmask-curves", Curves);
customElements.define("unmask-many-runs", ManyRuns);
customElements.define("unmask-menu", Menu);
customElements.define("unmask-tools", Tools);
customElements.define("unmask-share", Share);
customElements.define("unmask-another", Another);
customElements.define("unmask-themes", Themes);
customElements.define("unmask-models", Models); // when the stage knows which models there are

customElements.define("unmask-part", Part);
void defineWanted();
addEventListener("hashchange", () => void defineWanted());

translateForms();

document.addEventListener("unmask-deeper", (event) => {
  document.documentElement.toggleAttribute("data-deep", /** @type {CustomEvent<boolean>} */ (event).detail);
});
