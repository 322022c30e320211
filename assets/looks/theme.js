/** Light, dark, projector: one attribute on the page, remembered here; Gradio follows by its own class. */

import { el } from "./dom.js";
import { t } from "./language.js";

const THEMES = ["light", "dark", "projector"];
const KEPT = "unmask-theme";

/** @returns {string} */
function preferred() {
  const wanted = new URL(location.href).searchParams.get("theme") ?? remembered();
  if (wanted && THEMES.includes(wanted)) return wanted;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function remembered() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null; // a frame of another site may not remember
  }
}

/** @param {string} theme */
export function wear(theme) {
  document.documentElement.dataset.theme = theme;
  document.body.classList.toggle("dark", theme === "dark");
  dispatchEvent(new Event("unmask-theme"));
}

/** The switch in the header. */
export class Themes extends HTMLElement {
  connectedCallback() {
    if (this.childElementCount) return;
    const now = preferred();
    wear(now);
    const choose = (/** @type {string} */ theme) => {
      wear(theme);
      try {
        localStorage.setItem(KEPT, theme);
      } catch {
        // not remembered, but worn
      }
    };
    const boxes = THEMES.map((theme) =>
      el(
        "label",
        {},
        el("input", {
          type: "radio",
          name: "unmask-theme",
          value: theme,
          checked: theme === now,
          onchange: () => choose(theme),
        }),
        el("span", {}, t(theme)),
      ),
    );
    this.append(el("fieldset", {}, el("legend", {}, t("Appearance")), ...boxes));
  }
}
