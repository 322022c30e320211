/** A run as a part of an address: its order, its edits, and what it was made with; compressed, with a check. Pure. */

import { KEY } from "./frame.js";
import { sha256 } from "../wire/digest.js";
import { differing, editsOf } from "../wire/edits.js";
import { isObject } from "../wire/strict.js";
import { t } from "../looks/language.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {Record<string, any>} Row */
/**
 * @typedef {object} LinkedSide
 * @property {string} model by the name that opens it
 * @property {number} length open cells
 * @property {Row} settings that differ from the engine's own
 * @property {[number, Row][]} edits a moment, and the edit that leads to it
 * @property {string} weights the beginning of their digest
 * @property {string} number type that it thinks in
 * @property {string} made version of what computes
 * @property {number} at the moment that was copied
 * @property {string} digest of the tokens there
 */
/** @typedef {{prompt: string, own?: number, sides: LinkedSide[]}} Link `own`: from this letter on, a person's own text */

const VERSION = 1;
const MOST_LETTERS = 16_384; // of an address
const MOST_BYTES = 1 << 18; // of what it holds
const MOST_EDITS = 256;
const DIGEST = 10; // hex digits that tell two runs apart
const CHECK = 6;
const ALWAYS = ["policy", "options", "end", "end_after", "end_penalty"]; // a model's own wishes would fill these in

/**
 * @param {Side} side
 * @param {number} at
 */
export function digestOf(side, at) {
  return sha256((side.moments[at]?.tokens ?? []).join()).slice(0, DIGEST);
}

/**
 * What stands on the stage as a link, or an error with a sentence.
 * @param {Side[]} sides
 * @param {string[]} models by the names that open them
 * @param {Row} defaults the engine's own settings
 * @returns {Link}
 */
export function linkOf(sides, models, defaults) {
  const there = sides.flatMap((side, i) =>
    side.moments.length && !side.of ? [{ side, model: models[i] ?? models[0] ?? "" }] : [],
  );
  if (!there.length) throw new Error(t("There is no run to make a link of yet."));
  const { prompt = "", own_from: own } = there[0]?.side.head ?? {};
  const sidesOf = there.map((one) => linkedSide(one, defaults));
  return { prompt: String(prompt), ...(own !== undefined && { own }), sides: sidesOf };
}

/**
 * @param {{side: Side, model: string}} one
 * @param {Row} defaults
 * @returns {LinkedSide}
 */
function linkedSide({ side, model }, defaults) {
  const { head, moments } = side;
  if (moments.some(({ kind }) => kind === "gap"))
    throw new Error(t("A part of this run was missed while the line was lost, so a link could not repeat it."));
  const edits = editsOf(side);
  if (edits.length > MOST_EDITS)
    throw new Error(t("This run has {n} edits; a link holds {most}.", { n: edits.length, most: MOST_EDITS }));
  const card = head.model ?? {};
  const last = moments.length - 1;
  return {
    model,
    length: moments[0]?.open ?? 1,
    settings: differing(head.settings ?? {}, defaults, ALWAYS),
    edits,
    weights: String(card.weights ?? "").slice(0, DIGEST),
    number: String(card.number ?? ""),
    made: head.made?.torch ? `PyTorch ${head.made.torch}` : "",
    at: last,
    digest: digestOf(side, last),
  };
}

/**
 * The fragment of an address that holds a link.
 * @param {Link} link
 */
export async function packed({ prompt, own, sides }) {
  const rows = sides.map((s) => [s.model, s.length, s.settings, s.edits, s.weights, s.number, s.made, s.at, s.digest]);
  const text = JSON.stringify(own === undefined ? [prompt, rows] : [prompt, rows, own]);
  const bytes = new Uint8Array(await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw")));
  return `${KEY}=${VERSION}.${sha256(text).slice(0, CHECK)}.${base64(bytes)}`;
}

/**
 * The link in a fragment; null where there is none, and an error with a sentence where it cannot be opened.
 * @param {string} fragment
 * @returns {Promise<Link | null>}
 */
export async function unpacked(fragment) {
  const payload = fragmentOf(fragment);
  if (payload === null) return null;
  const [version = "", check = "", rest = ""] = payload.split(".");
  if (/^\d{1,6}$/.test(version) && Number(version) > VERSION)
    throw new Error(t("This link comes from a newer version of Unmask, which is needed to open it."));
  if (version !== String(VERSION) || payload.length > MOST_LETTERS) throw damaged();
  let text;
  try {
    const bytes = await through(bytesOf(rest), new DecompressionStream("deflate-raw"));
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw damaged();
  }
  if (sha256(text).slice(0, CHECK) !== check) throw damaged();
  return checked(JSON.parse(text));
}

function damaged() {
  return new Error(t("This link is damaged: a part of it is missing or was changed. Ask for it again."));
}

/** @param {string} fragment */
function fragmentOf(fragment) {
  const part = fragment
    .replace(/^#/, "")
    .split("&")
    .find((one) => one.startsWith(`${KEY}=`));
  return part === undefined ? null : part.slice(KEY.length + 1);
}

/**
 * Of the right form; what its values mean, the engine checks.
 * @param {any} row
 * @returns {Link}
 */
function checked(row) {
  const [prompt, rows, own] = Array.isArray(row) ? row : [];
  const whole = (/** @type {unknown} */ x, /** @type {number} */ least) => Number.isInteger(x) && Number(x) >= least;
  const text = (/** @type {unknown} */ x) => typeof x === "string" && x.length <= 300;
  const fine =
    typeof prompt === "string" &&
    (own === undefined || (whole(own, 0) && own <= prompt.length)) &&
    Array.isArray(rows) &&
    rows.length > 0 &&
    rows.length <= 2 &&
    rows.every(
      (/** @type {any} */ side) =>
        Array.isArray(side) &&
        [0, 4, 5, 6, 8].every((i) => text(side[i])) &&
        whole(side[1], 1) &&
        isObject(side[2]) &&
        whole(side[7], 0) &&
        Array.isArray(side[3]) &&
        side[3].length <= MOST_EDITS &&
        side[3].every((/** @type {any} */ one) => Array.isArray(one) && whole(one[0], 1) && isObject(one[1])),
    );
  if (!fine) throw damaged();
  const sides = rows.map(([model, length, settings, edits, weights, number, made, at, digest]) => {
    return { model, length, settings, edits, weights, number, made, at, digest };
  });
  return { prompt, ...(own !== undefined && { own }), sides };
}

/**
 * The message that opens a link.
 * @param {Link} link
 * @param {string[]} models to think, one for each side
 * @param {string} id
 */
export function openLink({ prompt, own, sides }, models, id) {
  const rows = sides.map(({ length, settings, edits }, i) => {
    return { model: models[i], length, preset: null, settings, edits };
  });
  const { length = 1, settings } = sides[0] ?? {};
  const whose = own === undefined ? {} : { own_from: own };
  return { do: "open", id, prompt, ...whose, length, seed: settings?.seed ?? 0, play: false, sides: rows };
}

/**
 * What differs between a link's side and what is here, before anything has run.
 * @param {LinkedSide} linked
 * @param {Row} head of the run that has begun
 * @returns {string[]}
 */
export function differences(linked, head) {
  const card = head.model ?? {};
  const name = card.name ?? t("the model");
  const here = String(card.weights ?? "").slice(0, DIGEST);
  const made = head.made?.torch ? `PyTorch ${head.made.torch}` : "";
  /** @type {string[]} */
  const found = [];
  if (linked.weights !== here)
    found.push(
      t("other weights ({weights}; here {name} has {here})", { weights: linked.weights || t("none"), name, here }),
    );
  if (linked.number !== card.number)
    found.push(t("another number type ({dtype}; here {here})", { dtype: linked.number, here: card.number }));
  if (linked.made && made && linked.made !== made)
    found.push(t("another version ({made}; here {here})", { made: linked.made, here: made }));
  return found;
}

/**
 * Whether a side came out as the link says; null while it has not come so far.
 * @param {LinkedSide} linked
 * @param {Side} side
 * @param {boolean} changed whether its changes were made again
 */
export function cameOut(linked, side, changed) {
  const made = editsOf(side).length >= linked.edits.length;
  if (changed && !made && side.done) return false; // one of them cannot be made here
  if (!changed || !made) return side.failed ? false : null;
  if (side.moments.length <= linked.at) return side.failed || side.done ? false : null;
  return digestOf(side, linked.at) === linked.digest;
}

/**
 * The sentence above a run that was opened by a link.
 * @param {string[]} found what differs
 * @param {(boolean | null)[]} out of each side, whether it came out as it was
 * @param {boolean} [before] whether what was changed is still to come
 */
export function sentenceOf(found, out, before = false) {
  const other = [...new Set(found)].join(` ${t("and")} `);
  const made = other ? t("This link was made with {other}.", { other }) : t("This run was opened by a link.");
  if (before) return `${made} ${t("First the text without the change, then with it.")}`;
  if (out.includes(null)) return `${made} ${t("It is written again now.")}`;
  const same = out.every(Boolean);
  const text = same
    ? t("It came out the same, token for token.")
    : t("It came out differently from the run in the link.");
  return `${made} ${text}`;
}

/**
 * The page's address for others. In a Space's frame that is the Space's page, which hands on what follows the mark;
 * a signature of a private Space is left out.
 * @param {string} here the page's own address
 * @param {string} space as OWNER/NAME, where this is one
 * @param {boolean} framed by the Space's page
 */
export function addressFor(here, space, framed) {
  const url = new URL(here);
  if (space && framed) return `https://huggingface.co/spaces/${space}`;
  return `${url.origin}${url.pathname}`;
}

/**
 * One line for a course's page.
 * @param {string} address
 * @param {string} fragment
 */
export function snippet(address, fragment) {
  const source = `${address}?embed=1&amp;hide=controls#${fragment}`;
  return `<iframe src="${source}" title="A run of Unmask" width="100%" height="560" loading="lazy"></iframe>`;
}

/**
 * @param {Uint8Array} bytes
 * @param {GenericTransformStream} stream
 * @returns {Promise<ArrayBuffer>}
 */
async function through(bytes, stream) {
  const parts = new Blob([/** @type {any} */ (bytes)]).stream().pipeThrough(/** @type {any} */ (stream));
  const reader = parts.getReader();
  /** @type {Uint8Array[]} */
  const found = [];
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > MOST_BYTES) throw damaged();
    found.push(part.value);
  }
  return new Blob(/** @type {any[]} */ (found)).arrayBuffer();
}

/** @param {Uint8Array} bytes */
function base64(bytes) {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

/** @param {string} text */
function bytesOf(text) {
  if (!/^[\w-]+$/.test(text)) throw damaged();
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}
