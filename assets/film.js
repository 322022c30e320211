/** A page that makes a GIF of recordings, as the stage would: `unmask film` opens it in a browser without a window. */

import { Controller } from "./stage/controller.js";
import { film } from "./pictures/film.js";
import { coloursNow } from "./pictures/colours.js";
import { stageOf } from "./pictures/scene.js";
import { contents } from "./wire/recordings.js";

/** The GIF as a `data:` address.
 * @param {string[]} texts of trace files
 * @param {string} theme
 * @returns {Promise<string>}
 */
async function filmed(texts, theme) {
  const unmask = new Controller();
  document.documentElement.dataset.theme = theme;
  unmask.recordings.show(await contents(texts.map((text, i) => new File([text], `${i}.trace.jsonl`))));
  const gif = await film(stageOf(unmask), coloursNow(), () => {}, new AbortController().signal);
  return new Promise((done) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result));
    reader.readAsDataURL(gif);
  });
}

Object.assign(globalThis, { filmed });
