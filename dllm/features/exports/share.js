/** What can be taken away from the stage: a link, and files of several kinds, under a picture of the run. */

import { addressFor, linkOf, packed, snippet } from "../../assets/links/link.js";
import { inSpacesFrame } from "../../assets/links/frame.js";
import { el } from "../../assets/looks/dom.js";
import { t } from "../../assets/looks/language.js";
import { widthInSerif } from "../../assets/looks/letters.js";
import { saved } from "../../assets/looks/saved.js";
import { calibration } from "../../assets/views/calibration.js";
import { series } from "../../assets/views/curves.js";
import { SHOWS, mapRows } from "../../assets/views/map_cells.js";
import { together } from "./both.js";
import { branchesSvg, curvesSvg } from "./charts.js";
import { film } from "../../assets/pictures/film.js";
import { pageOf, tracesOf } from "./page.js";
import { coloursNow } from "../../assets/pictures/colours.js";
import { captionOf, filled, sceneOf } from "../../assets/pictures/scene.js";
import { canvasSvg, mapSvg, PROJECTOR } from "../../assets/pictures/svg.js";
import { csvOf } from "./table.js";

/** @typedef {import("../../assets/wire/store.js").Side} Side */
/** @typedef {import("../../assets/pictures/scene.js").Stage} Stage */
/** @typedef {{name: string, says: string, needs?: "server", copies?: boolean, take: () => Promise<string> | string}} Item */

const NAMES = ["Diffusion", "One word after another"];
const FIRST = 3; // kinds that are asked for most

/**
 * @param {() => Stage} stage
 * @param {(text: string, refused?: boolean) => void} note
 */
export function sharePanel(stage, note) {
  /** @type {Item[]} */
  const items = [
    {
      name: t("Link"),
      says: t("It opens to the same run: the prompt, the settings, your edits"),
      needs: "server",
      copies: true,
      take: async () => copied(await linkTo(stage(), addressHere()), t("The link")),
    },
    {
      name: "GIF",
      says: t("The whole run, moving, for slides and posts"),
      take: () => {
        filled(stage());
        abort = new AbortController();
        bar.value = 0;
        working.hidden = false;
        const tell = (/** @type {number} */ share) => (bar.value = share);
        return film(stage(), coloursNow(), tell, abort.signal)
          .then((gif) => saved("unmask-run.gif", "image/gif", gif))
          .finally(() => (working.hidden = true));
      },
    },
    {
      name: t("Page"),
      says: t("One file with both sides: it opens from disk and plays without a network"),
      needs: "server",
      take: async () => {
        const { sides, files } = stage();
        return saved("unmask-run.html", "text/html", await pageOf(sides, files, document.baseURI));
      },
    },
  ];
  items.push(
    {
      name: t("Line for a course page"),
      says: t("An iframe with this run in it, without the controls"),
      needs: "server",
      copies: true,
      take: async () => copied(snippet(addressFor(location.href, "", false), await fragmentOf(stage())), t("The line")),
    },
    {
      name: t("Picture (SVG)"),
      says: t("What is shown now, at projector size"),
      take: () => saved("unmask.svg", "image/svg+xml", pictureNow(stage())),
    },
    {
      name: t("Picture (PNG)"),
      says: t("The same in pixels, 1920 × 1080"),
      take: async () => saved("unmask.png", "image/png", await pixels(pictureNow(stage()))),
    },
    {
      name: t("Map (SVG)"),
      says: t("Every place, look by look, as the map of this run is set"),
      take: () => saved("unmask-map.svg", "image/svg+xml", mapNow(stage())),
    },
    {
      name: t("Map (PNG)"),
      says: t("The same in pixels, 1920 × 1080"),
      take: async () => saved("unmask-map.png", "image/png", await pixels(mapNow(stage()))),
    },
    {
      name: t("Curves (SVG)"),
      says: t("Confidence, entropy, open cells and tokens by look; calibration"),
      take: () => saved("unmask-curves.svg", "image/svg+xml", curvesNow(stage())),
    },
    {
      name: t("Branches (SVG)"),
      says: t("The tree of branches of each side"),
      take: () => {
        const sides = filled(stage()).map(({ side: { tree, branch }, number }) => ({
          name: nameIn(number),
          tree,
          branch,
        }));
        return saved("unmask-branches.svg", "image/svg+xml", branchesSvg(sides, coloursNow()));
      },
    },
    {
      name: t("Table (CSV)"),
      says: t("Every cell at every moment, for a notebook"),
      take: () => {
        const found = filled(stage());
        const names = found.map(({ number }) => nameIn(number));
        return saved("unmask-run.csv", "text/csv", csvOf(found.map(({ side }) => side), names)); // prettier-ignore
      },
    },
    {
      name: t("Recording of both sides"),
      says: t("One file: drop it on this page to see it again"),
      needs: "server",
      take: async () => {
        const { sides, files } = stage();
        const text = together(await tracesOf(sides, files, document.baseURI));
        return saved("unmask-run.trace.jsonl", "application/x-ndjson", text);
      },
    },
  );
  /** @type {AbortController | null} */
  let abort = null;
  const bar = el("progress", { max: 1, value: 0, "aria-label": t("How far the GIF has come") });
  const cancel = el("button", { type: "button", onclick: () => abort?.abort() }, t("Cancel"));
  const working = el("p", { className: "share-working", hidden: true }, bar, cancel);
  const field = el("input", { type: "text", readOnly: true, hidden: true, className: "share-link" });
  field.ariaLabel = t("Copy it from here");
  const done = el("p", { className: "share-done", role: "status" });
  let busy = false; // one at a time
  const say = (/** @type {string} */ text, refused = false) => {
    done.textContent = text;
    note(text, refused);
  };
  const take = async (/** @type {Item} */ item) => {
    if (busy) return;
    busy = true;
    done.textContent = "";
    try {
      const answer = await item.take();
      field.hidden = !answer.startsWith("<") && !answer.startsWith("http");
      if (field.hidden) return say(answer);
      field.value = answer; // where nothing may be copied, it can be taken from here
      field.focus();
      field.select();
      say(t("Copying is not allowed here: take it from the field."));
    } catch (error) {
      const stopped = error instanceof DOMException && error.name === "AbortError";
      say(stopped ? t("Stopped: nothing is saved.") : error instanceof Error ? error.message : String(error), !stopped);
    } finally {
      busy = false;
    }
  };
  const buttons = items.map((item) =>
    el(
      "button",
      { type: "button", "data-needs": item.needs ?? "nothing", onclick: () => void take(item) },
      el("strong", {}, item.name),
      el("span", {}, item.says),
      el("em", {}, item.copies ? t("copy") : t("save")),
    ),
  );
  const more = el("details", {}, el("summary", {}, t("More formats")), ...buttons.slice(FIRST));
  const picture = el("img", { alt: t("The last picture of this run: both texts, with the result") });
  const caption = el("figcaption", {}, t("The last picture of the GIF. It holds for two seconds."));
  const preview = el("figure", { className: "share-preview" }, picture, caption);
  const node = el("section", { className: "share" }, preview, ...buttons.slice(0, FIRST), working, field, done, more);
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !more.open) return;
    event.stopPropagation();
    more.open = false;
    more.querySelector("summary")?.focus();
  });
  /** Draw what the film of the run would end with. */
  const show = () => {
    const now = stage();
    const some = now.sides.some((side) => side.moments.length > 1);
    preview.hidden = !some;
    if (some) picture.src = `data:image/svg+xml,${encodeURIComponent(lastPicture(now))}`;
  };
  return { node, show };
}

/** What a side is called in a file.
 * @param {number} number
 */
function nameIn(number) {
  return t(NAMES[number] ?? "");
}

/** What a run ends with.
 * @param {Stage} stage
 */
function lastPicture(stage) {
  const ended = filled(stage).map((one) => ({ ...one, at: one.side.moments.length - 1 }));
  return canvasSvg(sceneOf(stage, ended, true), coloursNow(), widthInSerif);
}

/** @param {Stage} stage */
function pictureNow(stage) {
  const shown = filled(stage);
  const over = shown.every(({ side, at }) => at === side.moments.length - 1);
  return canvasSvg(sceneOf(stage, shown, over), coloursNow(), widthInSerif);
}

/** @param {Stage} stage */
function mapNow(stage) {
  /** @type {(HTMLElement & {shows?: typeof SHOWS[number]}) | null} */
  const map = document.querySelector("unmask-maps");
  const { shows, text, key } = map?.shows ?? /** @type {typeof SHOWS[number]} */ (SHOWS[0]);
  const shown = filled(stage).map(({ side, number }) => {
    const last = side.moments.length - 1;
    return {
      name: nameIn(number),
      caption: `${t(text).toLowerCase()}, ${captionOf(side, last)}`,
      rows: mapRows(side, shows),
    };
  });
  return mapSvg(shown, coloursNow(), key);
}

/** @param {Stage} stage */
function curvesNow(stage) {
  const shown = filled(stage).map(({ side, number, at }) => ({
    name: nameIn(number),
    series: series(side, at),
    bins: calibration(side, at),
  }));
  return curvesSvg(shown, coloursNow());
}

/** @param {string} svg */
async function pixels(svg) {
  const picture = new Image();
  picture.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    await picture.decode();
    const paper = el("canvas", { ...PROJECTOR });
    paper.getContext("2d")?.drawImage(picture, 0, 0);
    const blob = await new Promise((/** @type {(blob: Blob | null) => void} */ done) =>
      paper.toBlob(done, "image/png"),
    );
    if (!blob) throw new Error(t("This browser cannot draw it."));
    return blob;
  } finally {
    URL.revokeObjectURL(picture.src);
  }
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
    return t("{what} is copied: {n} letters.", { what, n: text.length });
  } catch {
    return text;
  }
}
