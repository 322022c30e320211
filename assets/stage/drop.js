/** Opening a trace file: dropped anywhere on the page, or chosen with a button. */

import { el } from "../looks/dom.js";
import { t } from "../looks/language.js";

/**
 * @param {(files: File[]) => void} open
 * @returns {HTMLElement} the button
 */
export function fileButton(open) {
  const chosen = el("input", {
    type: "file",
    accept: ".jsonl,.json",
    multiple: true,
    hidden: true,
    onchange: () => {
      open([...(chosen.files ?? [])]);
      chosen.value = "";
    },
  });
  const button = el(
    "button",
    {
      type: "button",
      className: "save",
      title: t("Replay a saved run (or drop its file anywhere on this page)"),
      onclick: () => chosen.click(),
    },
    t("Open a saved run"),
  );
  const carries = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files");
  let depth = 0; // every element the pointer crosses says that it was entered and left
  const mark = (/** @type {number} */ by) => {
    depth = by ? Math.max(0, depth + by) : 0;
    document.documentElement.toggleAttribute("data-dropping", depth > 0);
  };
  document.addEventListener("dragenter", (event) => carries(event) && mark(1));
  document.addEventListener("dragleave", (event) => carries(event) && mark(-1));
  document.addEventListener("dragover", (event) => carries(event) && event.preventDefault());
  document.addEventListener("drop", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    mark(0);
    open([...(event.dataTransfer?.files ?? [])]);
  });
  return el("span", { className: "files" }, button, chosen);
}
