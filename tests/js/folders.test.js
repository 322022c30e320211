// The law of the folders: one may import those before it in the list, and none that comes after.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { ESLint } from "eslint";
import config from "../../eslint.config.js";

const eslint = new ESLint();

/**
 * @param {string} filePath
 * @param {string} line
 */
async function offences(filePath, line) {
  const [found] = await eslint.lintText(`${line}\n`, { filePath });
  return (found?.messages ?? []).filter(({ ruleId }) => ruleId === "no-restricted-imports").length;
}

test("a planted offence is found", async () => {
  assert.equal(await offences("assets/wire/planted.js", 'import "../stage/side.js";'), 1);
  assert.equal(await offences("assets/views/planted.js", 'import "../clock/panel.js";'), 1);
  assert.equal(await offences("assets/panels/planted.js", 'import "../main.js";'), 1);
  assert.equal(await offences("assets/stage/planted.js", 'import "../views/map.js"; import "./side.js";'), 0);
});

test("every folder with scripts has its place in the list", () => {
  const laws = config.flatMap((one) => ("files" in one && Array.isArray(one.files) ? one.files : [])).map(String);
  for (const { name } of readdirSync("assets", { withFileTypes: true }).filter((one) => one.isDirectory())) {
    const scripts = readdirSync(`assets/${name}`).some((file) => file.endsWith(".js"));
    if (scripts && name !== "vendor") assert.ok(laws.includes(`assets/${name}/**/*.js`), name);
  }
});
