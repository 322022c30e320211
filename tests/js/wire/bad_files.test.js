// One table of bad files drives this reader and Python's: the same are refused, each in a sentence.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { sha256 } from "../../../assets/wire/digest.js";
import { sealOf, traceOf } from "../../../assets/wire/trace.js";

/** @typedef {string | [string, number] | {from: number, to: number}} Part */
/** @type {{good: string, bad: Record<string, Part[]>, server: string[], plain: {good: string, bad: Record<string, string>}}} */
const { good, bad, server, plain } = JSON.parse(
  readFileSync(new URL("../../contract/bad_files.json", import.meta.url), "utf8"),
);

/** @param {Part} part */
function piece(part) {
  if (typeof part === "string") return part;
  return Array.isArray(part) ? part[0].repeat(part[1]) : good.slice(part.from, part.to);
}

test("the good file is read, and is as it was written", () => {
  assert.equal(traceOf(good).length, 2);
  assert.equal(sealOf(good), "whole");
});

for (const name of server)
  test(`shown, though the server refuses to continue it: ${name}`, () => {
    assert.equal(traceOf((bad[name] ?? []).map(piece).join("")).length, 2);
  });

for (const [name, parts] of Object.entries(bad).filter(([name]) => !server.includes(name)))
  test(`refused: ${name}`, () => {
    const text = parts.map(piece).join("");
    assert.throws(() => traceOf(text), /^Error: (Line|This) .*[^.]\.$/s);
  });

test("a file that another program wrote is read, and what it leaves out stays unknown", () => {
  const [, first, second] = traceOf(plain.good)[0] ?? [];
  assert.deepEqual([first?.open, second?.open, second?.done, second?.cost], [1, 0, true, 1]);
  assert.deepEqual([first?.c, second?.c, second?.g, second?.e], [[0.75], [null], undefined, undefined]);
});

for (const [name, text] of Object.entries(plain.bad))
  test(`refused with its line, of another program: ${name}`, () => {
    assert.throws(() => traceOf(text), /^Error: Line \d of this trace is damaged: .*[^.]\.$/);
  });

test("an edited file says so", () => {
  assert.equal(sealOf(good.replace("a prompt", "another")), "edited");
  assert.equal(sealOf(`${good}{"did":"moved"}\n`), "edited");
  assert.equal(sealOf(good.split("\n").slice(0, -2).join("\n")), "none");
  assert.equal(sealOf(good.trimEnd()), "whole");
});

test("the digest is the one that everybody knows", () => {
  for (const text of ["", "abc", "ü漢👩‍👧", "a".repeat(55), "a".repeat(56), "a".repeat(64), "b".repeat(100_000)])
    assert.equal(sha256(text), createHash("sha256").update(text).digest("hex"));
});
