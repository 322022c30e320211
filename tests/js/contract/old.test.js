// Files, links and messages of an older version open and read the same for ever. See tests/contract/old/README.md.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { frameOptions } from "../../../assets/links/frame.js";
import { openLink, unpacked } from "../../../assets/links/link.js";
import { sealOf } from "../../../assets/wire/trace.js";
import { messagesSummary, traceSummary } from "./page.js";

const VERSIONS = ["old", "0.1.0"];

/**
 * Everything that an old file says is said again; what it does not say may be new.
 * @param {any} old
 * @param {any} now
 * @returns {any}
 */
function shared(old, now) {
  if (Array.isArray(old) && Array.isArray(now))
    return old.length === now.length ? old.map((one, i) => shared(one, now[i])) : now;
  if (typeof old !== "object" || old === null || typeof now !== "object" || now === null) return now;
  return Object.fromEntries(Object.keys(old).map((name) => [name, shared(old[name], now[name])]));
}

/** @param {any} old @param {any} now */
const same = (old, now) => assert.deepEqual(shared(old, JSON.parse(JSON.stringify(now))), old);

for (const version of VERSIONS) {
  const folder = new URL(`../../contract/${version}/`, import.meta.url);
  const text = (/** @type {string} */ name) => readFileSync(new URL(name, folder), "utf8");
  const pages = JSON.parse(text("pages.json"));
  const summaries = JSON.parse(text("traces.json"));
  /** @type {{name: string, exchange: {out: Record<string, any[]>}[]}[]} */
  const talks = JSON.parse(text("messages.json"));
  /** @type {Record<string, any>[]} */
  const links = JSON.parse(text("links.json"));

  for (const file of readdirSync(new URL("traces/", folder))) {
    const name = file.replace(".trace.jsonl", "");
    test(`the old trace ${version}/${name} reads the same`, () => {
      const content = text(`traces/${file}`);
      assert.equal(sealOf(content).toUpperCase(), summaries[name].seal);
      const found = traceSummary(content);
      same(pages.traces[name], found);
      for (const [i, run] of summaries[name].runs.entries()) {
        assert.deepEqual(Object.keys(found[i]?.branches ?? {}).sort(), Object.keys(run.branches).sort());
        for (const [branch, { moments, canvases }] of Object.entries(run.branches)) {
          assert.equal(found[i]?.branches[branch]?.moments, moments);
          assert.equal(found[i]?.branches[branch]?.canvases, canvases); // as Python reads them
        }
      }
    });
  }

  for (const { name, exchange } of talks)
    test(`old messages are read the same: ${version}: ${name}`, () => {
      for (const who of Object.keys(pages.messages[name])) {
        const rows = exchange.flatMap(({ out }) => out[who] ?? []);
        same(pages.messages[name][who], messagesSummary(rows));
      }
    });

  for (const link of links)
    test(`an old link is read the same: ${version}: ${link.name}`, async () => {
      const address = new URL(link.address);
      if (link.refused) return assert.rejects(unpacked(address.hash), /^Error: \w.*\.$/);
      if ("run" in link) {
        const run = await unpacked(address.hash);
        same(link.run, run);
        if (run) same(link.open, openLink(run, run.sides.map(({ model }) => model), "mine 1")); // prettier-ignore
      }
      if (link.frame) same(link.frame, frameOptions(address));
      if (link.language || "gallery" in link) await onPage(address, link);
    });
}

/**
 * What is read from the page's own address, on as much of a page as these need.
 * @param {URL} address
 * @param {Record<string, any>} link
 */
async function onPage(address, link) {
  const lessons = { dataset: { place: "unmask" }, getAttribute: () => "en it" };
  const document = { baseURI: address.href, querySelector: () => lessons };
  const page = { HTMLElement: class {}, addEventListener() {}, location: address, document };
  Object.assign(globalThis, page);
  globalThis.customElements ??= /** @type {any} */ ({ define() {} });
  const { language } = await import("../../../assets/looks/language.js");
  if (link.language) assert.equal(language(), link.language);
  const { Gallery } = await import("../../../assets/gallery/gallery.js");
  const gallery = new Gallery();
  gallery.rows = JSON.parse(readFileSync(new URL("../../../assets/gallery/gallery.json", import.meta.url), "utf8"));
  if ("gallery" in link) assert.equal(gallery.wanted?.name ?? "", link.gallery);
}
