// When the fast mode is offered.
import assert from "node:assert/strict";
import { test } from "node:test";
import { otherMode } from "../../../assets/stage/faster.js";
import { emptySide, reduce } from "../../../assets/wire/store.js";
import { opened, stepped } from "../runs.js";

/**
 * A pair that has written four words each, the second side in `times` the time.
 * @param {number} times
 */
function pair(times) {
  const sides = [1, times].map((slow, i) => {
    const session = `s${i}`;
    let stage = { sides: [emptySide(), emptySide()] };
    const add = (/** @type {any} */ event) => (stage = reduce(stage, { ...event, session, side: 0 }));
    add(opened(4));
    add(stepped(1, [1, 2, 3, 4], [1, 2, 3, 4], { done: true, ms: [8 * slow, 1, 8 * slow] }));
    return /** @type {any} */ ({ ...stage.sides[0], source: "live", done: true });
  });
  return { sides, models: ["denoiser", "twin"], faster: true };
}

test("the fast mode is offered where the canvas of the pair was slower than the twin", () => {
  const offered = otherMode(pair(0.5), [1, 1]);
  assert.equal(offered?.model, "fast");
  assert.ok(offered.text.includes("twin with drafts")); // not "the fast model": which?
  assert.equal(otherMode(pair(2), [1, 1]), null);
  assert.equal(otherMode({ ...pair(2), models: ["fast", "twin"] }, [1, 1])?.model, "denoiser");
});

test("it is not offered where it is not served, to other models, or over a recording", () => {
  assert.equal(otherMode({ ...pair(0.5), faster: false }, [1, 1]), null);
  assert.equal(otherMode({ ...pair(0.5), models: ["toy", "twin"] }, [1, 1]), null);
  const recorded = pair(0.5);
  recorded.sides[0].source = "replay";
  assert.equal(otherMode(recorded, [1, 1]), null);
});
