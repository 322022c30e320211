/** What is said of a rule before a run where the model would hardly write a good text under it. Pure. */

import { t } from "../looks/language.js";

/**
 * @param {string} kind of doubt; empty for none
 * @param {string} about the word or field
 */
export function ruleDoubt(kind, about) {
  switch (kind) {
    case "json":
      return t("The model writes JSON only about a text between “Text:” and “JSON:”. Here it may make no sense.");
    case "field":
      return t("The model knows no field “{about}”: what it writes there may make no sense.", { about });
    case "word":
      return t("The model would hardly write “{about}” in a text that begins so: it may make no sense.", { about });
    case "begin":
      return t("The model would hardly begin its text as this rule wants it: it may make no sense.");
    default:
      return "";
  }
}
