/** What a place of the text held in a look, and what became of it, in a sentence or two. Pure. */

import { percent, pieceOf } from "../cells/face.js";
import { spoken } from "../looks/glyphs.js";
import { t } from "../looks/language.js";
import { GIVEN, NOTHING, OPEN, OWN, PINNED } from "../wire/canvas.js";
import { beliefAt } from "./belief.js";

/** @typedef {import("../wire/store.js").Side} Side */

/**
 * @param {Side} side
 * @param {number} at
 * @param {number} cell
 */
export function placeSentence(side, at, cell) {
  const moment = side.moments[at];
  if (!moment || cell >= moment.tokens.length) return "";
  return `${t("Look {look}, place {cell}.", { look: moment.passes, cell })} ${heldThere(side, at, cell)}`;
}

/**
 * @param {Side} side
 * @param {number} at
 * @param {number} cell
 */
function heldThere(side, at, cell) {
  const moment = side.moments[at];
  if (!moment) return "";
  const kind = moment.kinds[cell];
  const word = (/** @type {number} */ token) => `“${spoken(pieceOf(side, token))}”`;
  const token = moment.tokens[cell] ?? NOTHING;
  if (kind === GIVEN) return t("Part of the prompt.");
  if (kind === OWN) return t("Part of your own text.");
  if (kind === PINNED) return t("You have set {word} here.", { word: word(token) });
  if (kind !== OPEN) {
    const since = moment.since[cell] ?? 0;
    const share = percent(moment.confidence[cell] ?? 0);
    if (since === at && !Number.isNaN(moment.confidence[cell]))
      return t("This look wrote {word}, at {share}.", { word: word(token), share });
    return t("It holds {word}, from look {look}.", { word: word(token), look: side.moments[since]?.passes ?? 0 });
  }
  const sentences = [t("Still open.")];
  const [first, second] = beliefAt(side, at, cell)?.candidates ?? [];
  const guess = moment.guess[cell] ?? NOTHING;
  if (first && second)
    sentences.push(
      t("It guesses {word} at {share}, then {other} at {less}.", {
        word: word(first.token),
        share: percent(first.share),
        other: word(second.token),
        less: percent(second.share),
      }),
    );
  else if (guess !== NOTHING)
    sentences.push(
      t("It guesses {word} at {share}.", { word: word(guess), share: percent((moment.sure[cell] ?? 0) / 255) }),
    );
  const later = becomes(side, at, cell);
  if (later) sentences.push(t("It will hold {word} from look {look}.", { word: word(later.token), look: later.look }));
  return sentences.join(" ");
}

/** What the place holds next, and from which look on; null where it stays open as far as is known.
 * @param {Side} side
 * @param {number} at
 * @param {number} cell
 */
function becomes(side, at, cell) {
  const id = side.moments[at]?.ids[cell] ?? NOTHING;
  for (const moment of side.moments.slice(at + 1)) {
    const place = moment.ids[cell] === id ? cell : moment.ids.indexOf(id);
    if (place < 0) return null;
    if (moment.kinds[place] !== OPEN) return { token: moment.tokens[place] ?? NOTHING, look: moment.passes };
  }
  return null;
}
