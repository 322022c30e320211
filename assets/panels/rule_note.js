/** Under the rule for the text: a sentence where the model would hardly write a good text under it. */

import { ruleDoubt } from "../ask/rule_doubt.js";
import { promptField } from "../ask/fields.js";
import { Panel } from "../stage/of_page.js";
import { constraintOf } from "../wire/rule.js";

const REST = 400; // ms without a key

export class RuleNote extends Panel {
  about = ""; // what was asked last
  timer = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);

  setUp() {
    this.classList.add("unmask");
    this.setAttribute("role", "status");
    document.addEventListener("input", (event) => {
      if (event.target instanceof Element && event.target.closest("#prompt, #rule")) this.later();
    });
    this.unmask.frames.add(() => {
      void this.unmask.values; // another kind of rule, or another model, comes with all values
      this.later();
    });
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.find(), REST);
  }

  async find() {
    const { values, models, questions } = this.unmask;
    const field = document.querySelector("#rule textarea");
    const text = field instanceof HTMLTextAreaElement ? field.value : values.rule;
    const constraint = constraintOf(values.constraint, text);
    const prompt = promptField()?.value ?? String(values.prompt ?? "");
    const about = JSON.stringify([prompt, constraint, models[0]]);
    if (about === this.about) return;
    this.about = about;
    const isRule = Object.keys(constraint).length > 0 && models.length > 0;
    const answer = isRule
      ? await questions.ask({ do: "rule_doubt", models: models.slice(0, 1), prompt, constraint })
      : null;
    if (about !== this.about) return; // something else has been written
    this.textContent = answer?.did === "rule_doubt" ? ruleDoubt(answer.kind, answer.about) : "";
  }
}
