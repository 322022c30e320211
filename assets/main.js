/** Brings the page's own elements to life. Gradio places them; they find each other through the instrument. */

import { Ask } from "./panels/ask.js";
import { DecoderDial } from "./panels/decoder_dial.js";
import { Decoders } from "./panels/decoders.js";
import { Links } from "./panels/links.js";
import { Stage } from "./stage/stage.js";
import { Dock } from "./looks/dock.js";
import { Part, define, defineWanted, offer, prefetch } from "./looks/features.js";
import { Menu, Tools } from "./panels/menu.js";
import { Another } from "./panels/another.js";
import { translateForms } from "./looks/language.js";
import { Themes } from "./looks/theme.js";

const gallery = async () => (await import("./gallery/gallery.js")).Gallery;
const ofGallery = () => /[#&]gallery=/.test(location.hash);

// those that are behind the first view are loaded when they are first seen
offer({
  "unmask-schedule": async () => (await import("./panels/schedule.js")).Schedule,
  "unmask-governs": async () => (await import("./panels/schedule.js")).Governs,
  "unmask-rule-note": async () => (await import("./panels/rule_note.js")).RuleNote,
  "unmask-decoder-list": async () => (await import("./panels/decoder_list.js")).DecoderList,
  "unmask-maps": async () => (await import("./panels/maps_and_curves.js")).Maps,
  "unmask-curves": async () => (await import("./panels/maps_and_curves.js")).Curves,
  "unmask-many-runs": async () => (await import("./panels/many_runs.js")).ManyRuns,
  "unmask-lessons": async () => (await import("./lessons/lessons.js")).Lessons,
  "unmask-gallery": gallery,
});

// before the stage: a run of the gallery, or of a link, is shown in place of the recording that the page opens with
if (ofGallery()) await define("unmask-gallery");
customElements.define("unmask-links", Links);
customElements.define("unmask-dock", Dock);
customElements.define("unmask-stage", Stage);
customElements.define("unmask-ask", Ask);
customElements.define("unmask-decoders", Decoders);
customElements.define("unmask-dial", DecoderDial);
customElements.define("unmask-menu", Menu);
customElements.define("unmask-tools", Tools);
customElements.define("unmask-another", Another);
customElements.define("unmask-themes", Themes);
customElements.define("unmask-part", Part());
defineWanted();
addEventListener("hashchange", () => {
  if (ofGallery()) void define("unmask-gallery");
  defineWanted();
});

// a person is here: what is behind the first view is fetched before it is wanted
const signs = ["pointermove", "pointerdown", "keydown"];
const fetchNext = () => {
  for (const sign of signs) removeEventListener(sign, fetchNext);
  setTimeout(() => {
    void prefetch();
    void import("./stage/below.js");
    void import("./panels/writer.js");
  });
};
for (const sign of signs) addEventListener(sign, fetchNext, { passive: true });

translateForms();

document.addEventListener("unmask-deeper", (event) => {
  document.documentElement.toggleAttribute("data-deep", /** @type {CustomEvent<boolean>} */ (event).detail);
});
