/** On a Space, a visitor's own inference quota may pay for rivals: signing in and out. The token is seen by no script. */

import { t } from "../../assets/looks/language.js";
import { html } from "../../assets/vendor/lit-html.js";

/** @typedef {{way: string, signed: boolean}} Quota what pays where a visitor has signed in */

/** The line under the rivals.
 * @param {Quota} quota
 * @param {() => void} again asks for the field once more
 */
export function quotaLine({ way, signed }, again) {
  if (!signed)
    return html`<p class="race-quota">
      <a href="login/huggingface" target="_blank" rel="noopener">${t("Sign in with Hugging Face")}</a>
      ${t("to race those reached by {way}: your own inference quota pays. A new tab opens; go on there.", { way })}
    </p>`;
  const leave = async () => {
    await fetch("login/leave", { method: "POST" });
    again();
  };
  return html`<p class="race-quota">
    ${t("Your own quota pays for rivals reached by {way}.", { way })}
    <button type="button" @click=${leave}>${t("Sign out")}</button>
  </p>`;
}
