// Laws of the page's files: a stage's state is assigned in the files that hold it, and templates read no text as HTML.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ESLint } from "eslint";

const eslint = new ESLint();

/** @param {string} line */
async function offences(line) {
  const [found] = await eslint.lintText(`${line}\n`, { filePath: "assets/panels/planted.js" });
  return (found?.messages ?? []).filter(({ ruleId }) => ruleId === "no-restricted-syntax").length;
}

test("a planted offence is found", async () => {
  for (const line of [
    "unmask.models = [];",
    "this.unmask.speed = 2;",
    'controller.runs.outside = "";',
    "this.unmask.undo.ran = {};",
    "send(++this.unmask.ref);",
    "this.controller.met ||= true;",
  ])
    assert.equal(await offences(line), 1, line);
});

test("a template never reads text as HTML", async () => {
  assert.equal(await offences("html`${unsafeHTML(text)}`;"), 1);
  assert.equal(await offences("html`${text}`;"), 0);
});

test("one's own fields and methods are one's own", async () => {
  for (const line of ["this.unmask = unmask;", "this.shown = unmask.models;", "unmask.setModels([]);"])
    assert.equal(await offences(line), 0, line);
});
