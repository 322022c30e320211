// Wilson's interval, against its known values.
import assert from "node:assert/strict";
import { test } from "node:test";
import { interval } from "../../../assets/views/interval.js";

test("the interval of a share holds it, and stays within 0 and 1", () => {
  const rounded = (/** @type {number} */ hits, /** @type {number} */ count) =>
    interval(hits, count).map((value) => Number(value.toFixed(3)));
  assert.deepEqual(rounded(5, 10), [0.237, 0.763]);
  assert.deepEqual(rounded(23, 24), [0.798, 0.993]);
  assert.deepEqual(rounded(24, 24), [0.862, 1]);
  assert.deepEqual(rounded(0, 24), [0, 0.138]);
});
