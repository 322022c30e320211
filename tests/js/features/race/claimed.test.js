// The model whose speed is claimed most often, and what is said of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { claimedSpeeds } from "../../../../dllm/features/race/claimed.js";

const claim = (/** @type {string} */ about, /** @type {any} */ value, /** @type {string} */ by, unit = "tokens/s") => ({
  about,
  value,
  by,
  unit,
});

test("the model with most claimed speeds is shown, slowest first, each with its source", () => {
  const found = claimedSpeeds([
    claim("One", 1009, "its maker"),
    claim("Two", 100, "a site"),
    claim("One", [200, 50.4], "a site"),
    claim("Two", 1, "a site", "$"),
    claim("Two", 2, "a site", "$"),
    claim("Two", 3, "a site", "$"),
  ]);
  assert.equal(found?.about, "One");
  assert.deepEqual(
    found?.points.map(({ value }) => value),
    [50.4, 200, 1009],
  );
  assert.equal(found?.says, "A site: 50; a site: 200; its maker: 1009.");
  assert.ok((found?.most ?? 0) >= 1009);
  assert.equal(claimedSpeeds([claim("One", 3, "a site", "$")]), null);
});
