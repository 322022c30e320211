/** The entry of decisions in *Many runs*. */

import { t } from "../../assets/looks/language.js";
import { nothing } from "../../assets/vendor/lit-html.js";

/** @type {Record<string, import("../../assets/looks/features.js").Entry>} */
export const entries = {
  Decisions: {
    says: () => t("What does it answer to a question with options, and is it right as often as it says?"),
    link: () => t("ask about a text"),
    figure: () => nothing,
  },
};
