// What the page's JavaScript may do: the recommended rules, and the law that model text is never read as HTML.
import js from "@eslint/js";
import globals from "globals";

const asHtml = "Model text reaches the page only as text nodes: use textContent.";

// A stage's state changes in its own files, through methods that say what happens.
const OWNER = "/^(unmask|controller)$/";
const ofOthers = ["AssignmentExpression > MemberExpression.left", "UpdateExpression > MemberExpression"].flatMap((to) =>
  ["object", "object.object", "object.object.object"].flatMap((owner) =>
    ["name", "property.name"].map((name) => ({
      selector: `${to}[${owner}.${name}=${OWNER}]`,
      message: "Call a method of the stage's file that holds this field.",
    })),
  ),
);

// A folder may import those before it, so that no two import each other; the files at the top import any.
const FOLDERS = "looks wire cells views clock ask links pictures steer stage lessons gallery panels hosts".split(" ");
const importLaw = FOLDERS.map((folder, i) => ({
  files: [`assets/${folder}/**/*.js`],
  rules: {
    "no-restricted-imports": [
      "error",
      {
        patterns: [
          {
            regex: `^\\.\\./(?:${[...FOLDERS.slice(i + 1), "\\.\\./dllm", "[^/]+\\.js"].join("|")})(?:/|$)`,
            message: `${folder} comes before it: see FOLDERS in eslint.config.js`,
          },
        ],
      },
    ],
  },
}));

// A feature knows the page's folders and no other feature; nothing else imports a feature's script.
const featureLaw = [
  {
    files: ["dllm/features/**/*.js"],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            { regex: "^\\.\\./(?!\\.\\./assets/)", message: "A feature imports its own folder and ../../assets." },
          ],
        },
      ],
    },
  },
];

export default [
  { ignores: [".venv/", "assets/models/", "assets/traces/", "assets/vendor/", "runs/", "shots/", "build/"] },
  js.configs.recommended,
  {
    files: ["assets/**/*.js", "dllm/features/**/*.js"],
    languageOptions: { globals: globals.browser },
    rules: {
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: asHtml },
        { property: "outerHTML", message: asHtml },
        { property: "insertAdjacentHTML", message: asHtml },
        { property: "setHTMLUnsafe", message: asHtml },
        { object: "document", property: "write", message: asHtml },
      ],
      "no-restricted-syntax": [
        "error",
        ...ofOthers,
        { selector: "Identifier[name=/^unsafe(HTML|SVG|MathML)$/]", message: asHtml },
      ],
    },
  },
  ...importLaw,
  ...featureLaw,
  { files: ["tests/**/*.js", "*.js"], languageOptions: { globals: globals.node } },
  { rules: { eqeqeq: ["error", "always", { null: "ignore" }], "no-var": "error", "prefer-const": "error" } },
  // a participle names no thing; tests/test_words.py holds Python to the same
  { rules: { "id-denylist": ["error", "told", "said", "asked", "heard", "held"] } },
];
