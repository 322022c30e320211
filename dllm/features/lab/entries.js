/** The Lab's entry of *Many runs*. */

import { t } from "../../assets/looks/language.js";
import { measuredRows } from "./measured.js";

/** @type {Record<string, import("../../assets/looks/features.js").Entry>} */
export const entries = {
  Lab: {
    says: () => t("Which decoder is right more often, and in fewer looks?"),
    link: () => t("compare decoders"),
    figure: measuredRows,
  },
};
