// Charts to take away: every value where it belongs, and names that are only text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { branchesSvg, curvesSvg } from "../../../../dllm/features/exports/charts.js";
import { PANELS, rounded, stepped } from "../../../../assets/views/curves.js";

const COLOURS = {
  paper: "#fff",
  ink: "#000",
  "side-0": "#00f",
  "side-1": "#a50",
  accent: "#00f",
  "line-strong": "#999",
};
const series = {
  x: [1, 2, 4],
  confidence: [0.2, 0.5, 0.9],
  entropy: [null, 1.5, 0],
  open: [12, 7, 0],
  tokens: [3, 5, 7],
};

test("an axis ends at a round number that no value passes", () => {
  assert.deepEqual(
    [0.03, 0.5, 1, 1.01, 7, 12, 96, 100].map(rounded).map((n) => Number(n.toPrecision(3))),
    [0.05, 0.5, 1, 2, 10, 20, 100, 100],
  );
});

test("a line is level until the next value, and broken where there is none", () => {
  const same = (/** @type {number} */ x) => x;
  assert.equal(stepped([1, 2, 4], [5, 6, 7], same, same), "M1 5H2V6H4V7");
  assert.equal(stepped([1, 2, 3, 4], [5, null, 6, 7], same, same), "M1 5M3 6H4V7");
  assert.equal(stepped([1], [null], same, same), "");
});

test("the curves hold a line for each side in each panel, within the page", () => {
  const bins = [
    { sure: 0.1, stood: 0.2, count: 3 },
    { sure: 0.9, stood: 1, count: 4 },
  ];
  const svg = curvesSvg(
    ["A <b>", "B"].map((name) => ({ name, series, bins })),
    COLOURS,
  );
  const lines = [...svg.matchAll(/data-side="(\d)" data-line="(\w+)" d="([^"]*)"/g)];
  assert.equal(lines.length, 2 * (PANELS.length + 2)); // with calibration and the key
  for (const [, , , path] of lines) {
    const numbers = (path ?? "")
      .split(/[A-Z ]/)
      .filter(Boolean)
      .map(Number);
    assert.ok(numbers.length > 1 && numbers.every((n) => n >= 0 && n <= 1920), path);
  }
  const heights = lines.filter(([, , name]) => name === "open").map(([, , , path]) => path);
  assert.equal(heights[0], heights[1]); // one scale for both sides
  assert.ok(svg.includes("A &lt;b&gt;") && !svg.includes("NaN"));
});

test("a tree shows every branch of a run, and the present one stronger", () => {
  const tree = [
    { name: "1", end: 10, left: "", since: 0 },
    { name: 'a "<i>"', end: 14, left: "1", since: 4 },
  ];
  const svg = branchesSvg(
    [
      { name: "Diffusion", tree, branch: "1" },
      { name: "B", tree: [], branch: "" },
    ],
    COLOURS,
  );
  const drawn = [...svg.matchAll(/data-branch="([^"]*)" d="M([\d.]+) [^"]*H([\d.]+)"[^>]*stroke-width="(\d)"/g)];
  assert.deepEqual(
    drawn.map(([, name, , , width]) => [name, width]),
    [
      ["1", "7"],
      ["a &quot;&lt;i&gt;&quot;", "4"],
    ],
  );
  assert.ok(Number(drawn[0]?.[3]) < Number(drawn[1]?.[3]) && Number(drawn[0]?.[2]) < Number(drawn[1]?.[2]));
  assert.throws(() => branchesSvg([{ name: "A", tree: tree.slice(0, 1), branch: "1" }], COLOURS), /only one branch/);
});
