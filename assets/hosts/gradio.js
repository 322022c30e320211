/** A stage in a Gradio app: its value comes through Gradio, and what is done on it becomes Gradio's events. */

import { mount } from "./mount.js";
import { unpackedPage } from "./page.js";

/** What Gradio hands to a component's script.
 * @typedef {object} Component
 * @property {HTMLElement} element
 * @property {(event: string, data?: object) => void} trigger
 * @property {{value: string | null, place: string, version: string, height: number, steered: boolean, title: string}} props
 * @property {{player: () => Promise<string>, since: (from: [string, number]) => Promise<string>}} server
 * @property {(name: string, changed: () => void) => void} watch
 */

/** @param {Component} component */
export async function inGradio({ element, trigger, props, server, watch }) {
  const place = document.createElement("div");
  element.append(place);
  const kept = `unmask-run ${location.pathname} ${props.place}`; // a page that is loaded again is empty: Gradio keeps no values
  const dark = () => document.body.classList.contains("dark");
  const theme = () => stage.say({ theme: dark() ? "dark" : "light" });
  const since = async (/** @type {string} */ run, /** @type {number} */ n) => {
    const message = JSON.parse(await server.since([run, n]));
    if (!message.gone) stage.say(message);
    else if (remembered() === run) remember("");
  };
  const remembered = () => sessionStorage.getItem(kept) ?? "";
  const remember = (/** @type {string} */ run) => sessionStorage.setItem(kept, run);
  const show = () => props.value && stage.say(JSON.parse(props.value));
  const open = () => {
    stage.say({ steered: props.steered });
    theme();
    if (props.value) show();
    else if (remembered()) void since(remembered(), 0);
  };
  /** @param {Record<string, any>} message */
  const hear = (message) => {
    if (message.do === "since") void since(message.run, message.n);
    if (message.did === "began") remember(message.run);
    const { did, ...about } = message;
    if (did === "tick") trigger("tick", about);
    if (did === "edit") trigger("edit", about);
    if (did === "end") trigger("end", about);
  };
  const page = await unpackedPage(props.version, () => server.player());
  const stage = mount(place, page, { open, hear }, props);
  watch("value", show);
  new MutationObserver(theme).observe(document.body, { attributeFilter: ["class"] });
}
