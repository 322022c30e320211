/** A page inside another: `?embed=1` leaves the stage alone, and `&hide=controls,views` takes parts of it away. */

export const KEY = "run"; // of a link in the address
export const PARTS = ["controls", "views", "second", "meters"];

/**
 * What an address asks of the frame around the page.
 * @param {URL} address
 */
export function frameOptions({ searchParams }) {
  const hide = (searchParams.get("hide") ?? "").split(",").filter((part) => PARTS.includes(part));
  return { embed: searchParams.get("embed") === "1", hide };
}

/** @param {URL} address */
export function frame(address) {
  const { embed, hide } = frameOptions(address);
  document.documentElement.toggleAttribute("data-embed", embed);
  if (hide.length) document.documentElement.dataset.hide = hide.join(" ");
}

/** Whether this is a Space's own page that frames the app. */
export function inSpacesFrame() {
  if (globalThis.top === globalThis.self) return false;
  const outside = [...(location.ancestorOrigins ?? [])][0] ?? document.referrer;
  return /^https:\/\/huggingface\.co(\/|$)/.test(outside);
}
