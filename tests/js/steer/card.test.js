// A model's card as words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bannerOf, facts, modelSentence, sameWeights } from "../../../assets/steer/card.js";
import { emptySide } from "../../../assets/wire/store.js";

test("the open models are named, and whether a recording was made by it", () => {
  const card = { name: "one", number: "fp32", device: "cpu", threads: 2, weights: "aa" };
  const live = { ...emptySide(), source: /** @type {const} */ ("live"), head: { model: card } };
  const other = { ...live, head: { model: { ...card, name: "two" } } };
  assert.equal(
    modelSentence([emptySide(), emptySide()], ["one"], null),
    "Nothing is shown yet. Press Run to open one.",
  );
  const replay = { ...live, source: /** @type {const} */ ("replay") };
  assert.match(modelSentence([replay, replay], ["one"], null, false), /recording by one\. Press Run to open one/);
  assert.match(modelSentence([replay, replay], ["one"], null, true), /recording by one\. one: open and ready/);
  assert.equal(
    modelSentence([live, other], ["one"], null),
    "one and two run here: 32-bit numbers (fp32) on a processor, 2 threads.",
  );
  assert.match(modelSentence([live, live], ["one"], { model: "x", done: 1e9, total: 4e9 }), /25 % of 4\.0 GB/);
  assert.equal(sameWeights(card, new Set(["aa"])), "it says its weights are those here");
  assert.equal(sameWeights(card, new Set(["bb"])), "it says its weights are not those here");
  assert.match(sameWeights(card, new Set()), /no model is open yet/);
});

test("a small model's memory is said in megabytes, a large one's in gigabytes", () => {
  assert.deepEqual(facts({ size: 30_402_560 })[1], ["takes", "30 MB of memory"]);
  assert.deepEqual(facts({ size: 16e9 })[1], ["takes", "16.0 GB of memory"]);
});

test("what was changed, or made elsewhere, stands under a banner", () => {
  const card = { weights: "aa" };
  assert.equal(bannerOf("whole", { model: card }, new Set(["aa"])), "");
  assert.equal(bannerOf("whole", { model: card }, new Set()), "");
  assert.match(bannerOf("edited", { model: card }, new Set(["aa"])), /^This file was changed .*\.$/);
  assert.match(bannerOf("none", { model: card }, new Set(["aa"])), /no seal/);
  assert.match(bannerOf("whole", { model: card }, new Set(["bb"])), /^It says .* other weights/);
  assert.match(bannerOf("edited", {}, new Set(["bb"])), /changed .* other weights/);
  const here = new Set(["bb"]);
  assert.equal(bannerOf("none", { model: card, source: "" }, here), "Recorded elsewhere.");
  assert.equal(bannerOf("whole", { source: "mine.py" }, here), "Recorded elsewhere, by mine.py.");
  assert.match(bannerOf("edited", { source: "" }, here), /^Recorded elsewhere\. This file was changed/);
});
