/** On a Space, a visitor's own inference quota may pay for rivals: signing in and out. The token is seen by no script. */

import { el } from "../looks/dom.js";
import { t } from "../looks/language.js";

/** @typedef {{way: string, signed: boolean}} Quota what pays where a visitor has signed in */

/** What stands under the rivals.
 * @param {Quota} quota
 * @param {() => void} again asks for the field once more
 */
export function quotaLine({ way, signed }, again) {
  if (!signed) {
    const link = el(
      "a",
      { href: "login/huggingface", target: "_blank", rel: "noopener" },
      t("Sign in with Hugging Face"),
    );
    const what = t("to race those reached by {way}: your own inference quota pays. A new tab opens; go on there.", {
      way,
    });
    return el("p", { className: "race-quota" }, link, ` ${what}`);
  }
  const leave = async () => {
    await fetch("login/leave", { method: "POST" });
    again();
  };
  const out = el("button", { type: "button", onclick: leave }, t("Sign out"));
  return el("p", { className: "race-quota" }, t("Your own quota pays for rivals reached by {way}.", { way }), " ", out);
}
