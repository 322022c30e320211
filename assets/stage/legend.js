/** The legend: every look that a cell can have, on a cell. */

import { el } from "../looks/dom.js";
import { t } from "../looks/language.js";

/** What the looks of a cell mean, shown by cells. */
export function legend() {
  const kinds = [
    { look: "cell open", sure: "4", text: "perhaps", says: t("open: its best guess") },
    { look: "cell written fresh", sure: "9", text: "new", says: t("this look") },
    { look: "cell written", sure: "3", text: "word", says: t("not so sure") },
    { look: "cell written doubted", sure: "9", text: "word", says: t("it would change") },
    { look: "cell written", sure: "9", text: "word", says: t("changed twice"), ticks: "ıı" },
    { look: "cell written forced", sure: "3", text: "word", says: t("forced") },
    { look: "cell pinned", sure: "", text: "word", says: t("pinned by you") },
    { look: "cell given own", sure: "", text: "word", says: t("your text"), whose: true },
    { look: "cell given", sure: "", text: "word", says: t("the prompt"), whose: true },
    { look: "cell open erased", sure: "", text: "", says: t("erased by you") },
    { look: "cell written end", sure: "9", text: "∎", says: t("end") },
  ];
  const entries = kinds.map(({ look, sure, text, says, ticks = "", whose = false }) => {
    const cell = el("span", { className: look, "data-sure": sure, "aria-hidden": "true" }, el("span", {}, text));
    if (ticks) cell.dataset.ticks = ticks;
    return el("li", { className: whose ? "whose" : "" }, cell, says);
  });
  return el("ul", { className: "legend", tabIndex: 0, "aria-label": t("How a cell looks") }, ...entries);
}
