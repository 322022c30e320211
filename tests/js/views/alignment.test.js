// Two texts are compared where their words stand now, by the rule that Python has too.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { aligned } from "../../../assets/views/alignment.js";

const CASES = JSON.parse(readFileSync(new URL("../../contract/alignment_cases.json", import.meta.url), "utf8"));

test("the words that stayed are the same ones as in Python", () => {
  for (const { name, first, second, places } of CASES) assert.deepEqual(aligned(first, second), places, name);
});
