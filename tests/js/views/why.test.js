// A decoder's reason in a person's words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { plainReason as reason } from "../../../assets/views/why.js";

/** @type {typeof reason} */
const plainReason = (...about) => reason(...about).replaceAll("\u00a0", " ");
const DRAFT = "confidence {} against 0.25, to be read when all stands";

test("a bar that was reached, one that none reached, and a block that was finished", () => {
  assert.equal(plainReason(DRAFT, [0.56, 0.3], 0), "its probability was 56 %, and 25 % is enough");
  assert.equal(plainReason(DRAFT, [0.17], 0), "no open word had 25 %, and this was the surest with 17 %");
  assert.equal(plainReason(DRAFT, [0.17, 0.1], 1), "the block was finished in this look, sure or not: it had 10 %");
  assert.equal(plainReason("confidence {} is at least 0.9", [0.95], 0), "its probability was 95 %, and 90 % is enough");
  assert.equal(
    plainReason("confidence {}: none reached 0.9, this is the surest", [0.4], 0),
    "no open word had 90 %, and this was the surest with 40 %",
  );
});

test("other reasons are as their decoder has them", () => {
  assert.equal(plainReason("rank {} of 12", [3], 0), "rank 3 of 12");
  assert.equal(plainReason("the leftmost open cell", [], 0), "it was the first open word from the left");
  assert.equal(plainReason("a draft, to be verified", [], 0), "a draft, to be verified");
});
