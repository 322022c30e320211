/** What each pass of a side computed: forwards, tokens fed to the network, and tokens whose keys and values it read; as
 * in `dllm/run/fed_tokens.py`, from the moments that the page has. Pure. */

import { GIVEN, NOTHING, OPEN, OWN, WRITTEN, unpacked } from "../wire/canvas.js";
import { NEEDS } from "./figures.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("../wire/timeline.js").Moment} Moment */
/** @typedef {import("./pass_time.js").Work & {byReader?: boolean}} Work `byReader`: a second network read the text */
/** @typedef {{work: Work | null, known: Int32Array, settings: Record<string, any>}} After what is known after a moment */

const NONE = new Int32Array(0);

/** @type {WeakMap<Moment, After>} */
const found = new WeakMap();

/** What each moment of a side computed; null where it is no pass.
 * @param {Side} side
 * @returns {(Work | null)[]}
 */
export function worksOf(side) {
  /** @type {After} */
  let after = { work: null, known: NONE, settings: side.head.settings ?? {} };
  return side.moments.map((moment, at) => {
    const before = side.moments[at - 1];
    const known = found.get(moment);
    if (known) after = known;
    else if (moment.kind === "pass" && before) {
      const [work, text] = passWork(side, before, moment, after);
      after = { ...after, work, known: text };
    } else {
      const { edit = null, settings = null } = moment.event ?? /** @type {Record<string, any>} */ ({});
      const changes = edit?.do === "tune" ? edit.changes : {};
      after = { ...after, work: null, settings: settings ?? { ...after.settings, ...changes } };
    }
    found.set(moment, after);
    return after.work;
  });
}

/** What a pass computed, and the text whose keys and values are cached afterwards.
 * @param {Side} side
 * @param {Moment} before
 * @param {Moment} moment
 * @param {After} after the moment before
 * @returns {[Work, Int32Array]}
 */
function passWork(side, before, moment, { known, settings }) {
  const frame = /** @type {import("../wire/messages.d.ts").SteppedEvent} */ (moment.event);
  const { causal = false, blockwise = false } = side.head.model ?? {};
  const needs = NEEDS[settings.policy] ?? {};
  const forwards = frame.cost ?? 1;
  if (frame.stale) {
    // an approximate cache: cells of age 0 were computed in this pass
    const ages = unpacked(frame.stale, 1);
    const computed = ages.reduce((sum, age) => sum + Number(age === 0), 0);
    return [{ forwards, tokens: computed, cached: ages.length - computed }, known];
  }
  const [begins, ends] = bounds(before, settings, frame.block);
  const length = before.tokens.length;
  const n = settings.sight === "block" ? ends : length;
  const verified = needs.verify ? verifiedCells(before, moment) : [];
  const first = verified[0];
  if (first !== undefined && !blockwise) {
    // the reader has no KV cache: it reads all text up to the last cell that it scores
    return [{ forwards, tokens: (verified[verified.length - 1] ?? 0) + 1, cached: 0, byReader: true }, known];
  }
  if (!causal && !blockwise) {
    const shadows = needs.shadow ? count(before, begins, ends, WRITTEN) : 0;
    return [{ forwards, tokens: n + shadows, cached: 0 }, known];
  }
  const opened = before.kinds.subarray(0, n).indexOf(OPEN);
  const open = opened < 0 ? n : opened;
  let [text, extra] = [open, 0];
  if (first !== undefined) {
    text = verified[verified.length - 1] ?? 0; // the row before a token predicts it
    const behind = length - first - 1;
    extra = needs.ahead && behind ? Math.min(draftLength(settings, needs), behind) + 1 : 0;
  } else if (causal) {
    // the text up to the first open cell
  } else if (needs.ahead) {
    text = Math.max(open - 1, 0);
    extra = 1 + Math.min(draftLength(settings, needs), count(before, open, Math.min(ends, n), OPEN));
  } else {
    text = Math.min(begins, open);
    extra = Math.min(ends, n) - text;
  }
  const reused = shared(known, before.tokens.subarray(0, text));
  const work = { forwards, tokens: Math.max(text - reused + extra, 1), cached: reused };
  return [work, forwards ? before.tokens.slice(0, text) : known];
}

/** The first cell of a block, and the one after its last.
 * @param {Moment} moment
 * @param {Record<string, any>} settings
 * @param {number} block
 * @returns {[number, number]}
 */
function bounds({ kinds }, settings, block) {
  const length = kinds.length;
  const answer = kinds.findIndex((kind) => kind !== GIVEN && kind !== OWN);
  let start = answer < 0 ? length : answer;
  const size = Number(settings.block ?? 0);
  if (!size) return [start, length];
  if (settings.block_from === "sequence") start = Math.floor(start / size) * size;
  return [Math.min(start + block * size, length), Math.min(start + (block + 1) * size, length)];
}

/** The cells that a pass verified: it predicted cells that were written, and no open one.
 * @param {Moment} before
 * @param {Moment} moment
 */
function verifiedCells({ kinds }, { guess }) {
  /** @type {number[]} */
  const cells = [];
  for (let cell = 0; cell < guess.length; cell++) {
    if (guess[cell] === NOTHING) continue;
    if (kinds[cell] === OPEN) return [];
    cells.push(cell);
  }
  return cells;
}

/**
 * @param {Moment} moment
 * @param {number} from
 * @param {number} to
 * @param {number} kind
 */
function count({ kinds }, from, to, kind) {
  let sum = 0;
  for (let cell = from; cell < to; cell++) if (kinds[cell] === kind) sum++;
  return sum;
}

/** The length of the common prefix of two texts.
 * @param {Int32Array} one
 * @param {Int32Array} other
 */
function shared(one, other) {
  const n = Math.min(one.length, other.length);
  for (let i = 0; i < n; i++) if (one[i] !== other[i]) return i;
  return n;
}

/**
 * @param {Record<string, any>} settings
 * @param {import("./figures.js").Needs} needs
 */
function draftLength({ options }, { ahead = "", length = 0 }) {
  return Number(options?.[ahead] ?? length);
}
