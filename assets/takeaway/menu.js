/** What can be taken away from the stage, in one menu: a link, and files of several kinds. */

import { addressFor, linkOf, packed, snippet } from "../links/link.js";
import { inSpacesFrame } from "../links/frame.js";
import { el } from "../looks/dom.js";
import { pageOf } from "./page.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {{sides: Side[], files: Map<string, string>, models: string[], linked: string}} Stage */
/** @typedef {{name: string, says: string, needs?: "server", take: () => Promise<string> | string}} Item */

/**
 * @param {() => Stage} stage
 * @param {(text: string, refused?: boolean) => void} note
 */
export function shareMenu(stage, note) {
  /** @type {Item[]} */
  const items = [
    {
      name: "Copy a link",
      says: "It opens to the same run: the prompt, the settings, your edits",
      needs: "server",
      take: async () => copied(await linkTo(stage(), addressHere()), "The link"),
    },
    {
      name: "Copy a line for a course page",
      says: "An iframe with this run in it, without the controls",
      needs: "server",
      take: async () => copied(snippet(addressFor(location.href, "", false), await fragmentOf(stage())), "The line"),
    },
    {
      name: "Save as a page",
      says: "One file with both sides: it opens from disk and plays without a network",
      needs: "server",
      take: async () => {
        const { sides, files } = stage();
        return saved("unmask-run.html", "text/html", await pageOf(sides, files, document.baseURI));
      },
    },
  ];
  const field = el("input", { type: "text", readOnly: true, hidden: true, className: "share-link" });
  const panel = el("div", { className: "share-panel" });
  const menu = el("details", { className: "share" }, el("summary", { className: "save" }, "Share or save"), panel);
  const take = async (/** @type {Item} */ item) => {
    try {
      const answer = await item.take();
      field.hidden = !answer.startsWith("<") && !answer.startsWith("http");
      if (field.hidden) {
        note(answer);
        menu.open = false;
        return;
      }
      field.value = answer; // where nothing may be copied, it can be taken from here
      field.focus();
      field.select();
      note("Copying is not allowed here: take it from the field.");
    } catch (error) {
      note(error instanceof Error ? error.message : String(error), true);
    }
  };
  panel.append(
    ...items.map((item) =>
      el(
        "button",
        { type: "button", "data-needs": item.needs ?? "nothing", onclick: () => void take(item) },
        el("b", {}, item.name),
        el("span", {}, item.says),
      ),
    ),
    field,
  );
  menu.addEventListener("toggle", () => (field.hidden = true));
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.stopPropagation();
    menu.open = false;
    menu.querySelector("summary")?.focus();
  });
  document.addEventListener("pointerdown", (event) => {
    if (menu.open && event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
  });
  return menu;
}

/** @returns {{defaults: Record<string, any>, space: string}} */
function known() {
  /** @type {HTMLElement | null} */
  const element = document.querySelector("unmask-links");
  const { defaults = "{}", space = '""' } = element?.dataset ?? {};
  return { defaults: JSON.parse(defaults), space: JSON.parse(space) };
}

function addressHere() {
  return addressFor(location.href, known().space, inSpacesFrame());
}

/** @param {{sides: Side[], models: string[]}} stage */
function fragmentOf({ sides, models }) {
  return packed(linkOf(sides, models, known().defaults));
}

/**
 * @param {Stage} stage
 * @param {string} address
 */
async function linkTo(stage, address) {
  return `${address}#${await fragmentOf(stage)}`;
}

/**
 * Copied, or the text itself where a page may not copy.
 * @param {string} text
 * @param {string} what
 */
async function copied(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    return `${what} is copied: ${text.length} letters.`;
  } catch {
    return text;
  }
}

/**
 * @param {string} name
 * @param {string} type
 * @param {BlobPart} content
 */
export function saved(name, type, content) {
  const href = URL.createObjectURL(new Blob([content], { type }));
  el("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
  return `${name} is saved.`;
}
