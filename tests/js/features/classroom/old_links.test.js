// Links of an older version still open their class.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { codeIn } from "../../../../dllm/features/classroom/code.js";

const links = readFileSync(new URL("../../../contract/old/links.json", import.meta.url), "utf8");

for (const { name, address, room } of JSON.parse(links))
  if (room !== undefined) test(`an old link: ${name}`, () => assert.equal(codeIn(new URL(address).hash), room));
