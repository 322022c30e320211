/** A stage in any element of any page, over a connection. It has a page of its own, in a frame: styles, names of elements
 * and versions of two stages never meet. */

/**
 * Where the runs of a stage come from, and where goes what a person does on it.
 * @typedef {object} Connection
 * @property {(say: (message: object) => void) => void} open called when the stage listens, and again if the element is moved, with the way to speak
 * @property {(message: Record<string, any>) => void} hear what the stage says
 */

/**
 * Make a stage in an element.
 * @param {HTMLElement} element
 * @param {string} page the HTML of the player
 * @param {Connection} connection
 * @param {{title: string, height?: number}} options
 * @returns {{say: (message: object) => void, close: () => void}} messages wait until the stage listens
 */
export function mount(element, page, connection, { title, height = 400 }) {
  const frame = document.createElement("iframe");
  frame.title = title;
  frame.style.cssText = `display: block; width: 100%; height: ${height}px; border: 0; background: transparent;`;
  /** @type {MessagePort | undefined} */
  let port;
  /** @type {object[]} */
  const unsent = [];
  const say = (/** @type {object} */ message) => (port ? port.postMessage(message) : void unsent.push(message));
  const listen = (/** @type {MessageEvent} */ { source, data, ports: [own] }) => {
    if (source !== frame.contentWindow || data?.unmask !== "stage" || !own) return;
    port = own;
    port.onmessage = ({ data: message }) => {
      if (message.did === "grown") frame.style.height = `${Math.max(height, message.height)}px`;
      else connection.hear(message);
    };
    say({ height });
    for (const message of unsent.splice(0)) say(message);
    connection.open(say);
  };
  addEventListener("message", listen);
  frame.srcdoc = page;
  element.append(frame);
  const close = () => {
    removeEventListener("message", listen);
    frame.remove();
  };
  return { say, close };
}
