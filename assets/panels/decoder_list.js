/** All decoders, each with a picture of a run of it, under what the chosen one wrote in each look. */

import { counted, t } from "../looks/language.js";
import { Panel } from "../stage/of_page.js";
import { dots } from "../steer/dots.js";
import { html, nothing, render } from "../vendor/lit-html.js";
import { Decoders, radio, sentences } from "./decoders.js";
import { aboveAtFirst } from "./first_look.js";
import { dragNumbers } from "./number_drag.js";

export class DecoderList extends Panel {
  setUp() {
    document.addEventListener("unmask-decoders", () => this.draw());
    this.draw();
    const controls = document.getElementById("controls");
    if (!controls) return;
    dragNumbers(controls);
    for (const kind of ["input", "unmask-dragged", "pointerover", "focusin"])
      controls.addEventListener(kind, (event) => this.aim(event));
    for (const kind of ["pointerout", "focusout"]) controls.addEventListener(kind, () => this.aim(null));
  }

  first = ""; // what the first look would write at the threshold that is being changed

  /** While a threshold is pointed at, the words that the first look would write with it are tinted.
   * @param {Event | null} event
   */
  aim(event) {
    const field = event?.target instanceof HTMLInputElement ? event.target : null;
    const threshold = field?.closest('[id$="-tau"]') ? field.valueAsNumber : NaN;
    const known = !Number.isNaN(threshold);
    const { may, above } = aboveAtFirst(this.unmask.side(0), threshold);
    const says = t("In the first look {n} of {may} places were above {threshold}: the tinted words.", { threshold, n: above.length, may }); // prettier-ignore
    const first = known && may ? says : "";
    if (first === this.first) return;
    this.first = first;
    this.unmask.selection.tint(first ? above : []);
    this.draw();
  }

  only = "all"; // the group that is shown

  draw() {
    const decoders = document.querySelector("unmask-decoders");
    if (!(decoders instanceof Decoders)) return;
    this.decoders = decoders;
    const run = decoders.item(decoders.chosen)?.run;
    render(
      html`<p class="first-look" role="status">${this.first}</p>
        <figure ?hidden=${!run}>
          ${run ? dots(run) : nothing}
          <figcaption>
            ${t("What each look wrote, on the page's first prompt: places from left to right, looks from top to bottom; red where a word was taken back.")}
          </figcaption>
        </figure>
        <details class="all">
          <summary>${t("All {n} decoders", { n: decoders.items.length })}</summary>
          ${this.filter()}${decoders.groups.map((group) => this.group(group))}
        </details>`,
      this,
    );
  }

  filter() {
    const only = (/** @type {string} */ group) => {
      this.only = group;
      this.draw();
    };
    const groups = this.decoders?.groups ?? [];
    const choices = [{ group: "all", name: t("All") }, ...groups.map(({ group, name }) => ({ group, name: t(name) }))];
    return html`<fieldset class="filter choices flow" aria-label=${t("Which decoders")}>
      ${choices.map(({ group, name }) =>
        radio({
          group: "unmask-decoder-group",
          value: group,
          checked: group === this.only,
          content: html`<span>${name}</span>`,
          title: "",
          why: "",
          take: () => only(group),
        }),
      )}
    </fieldset>`;
  }

  /** @param {import("./decoders.js").Group} group */
  group({ group, name, says, items }) {
    const hidden = this.only !== "all" && this.only !== group;
    return html`<fieldset data-group=${group} ?hidden=${hidden}>
      <legend><b>${t(name)}</b> <span>${t(says)}</span></legend>
      <div class="items">${items.map((item) => this.choice(item))}</div>
    </fieldset>`;
  }

  /** @param {import("./decoders.js").Item} item */
  choice({ name, plain, title, origin, run, warning, says }) {
    const { decoders } = this;
    const own = [title === plain ? "" : t(title), run ? String(run.looks) : ""].filter(Boolean).join(" · ");
    const mark = warning ? html`<em class="warning" title=${counted(warning)}>⚠</em>` : nothing;
    return radio({
      group: "unmask-decoder",
      value: name,
      checked: name === decoders?.chosen,
      content: html`${run ? dots(run) : html`<span></span>`}<b><span>${t(plain)}</span> ${mark}</b
        ><small>${own}</small>`,
      title: sentences(t(says), counted(warning), origin),
      why: decoders?.reason(name) ?? "",
      take: () => decoders?.take(name),
    });
  }
}
