/** What a key means, by where it is pressed: on the page, or on a cell. Pure; main.js does it. */

/**
 * @typedef {{do: "toggle" | "back" | "on" | "start" | "end" | "inspect" | "erase" | "leave"}
 *   | {do: "move", to: number, extend: boolean} | {do: "type", text: string}} KeyAction
 */

/** @type {Record<string, "toggle" | "back" | "on" | "start" | "end">} */
const ANYWHERE = { " ": "toggle", ArrowLeft: "back", ArrowRight: "on", Home: "start", End: "end" };

/**
 * @param {{key: string, ctrlKey?: boolean, metaKey?: boolean, altKey?: boolean, shiftKey?: boolean}} press
 * @param {{cell: number, length: number, rows: number[]} | null} place the focused cell, if one is
 * @returns {KeyAction | null}
 */
export function actionOf(press, place) {
  if (press.ctrlKey || press.metaKey || press.altKey) return null;
  if (!place) {
    const action = ANYWHERE[press.key];
    return action ? { do: action } : null;
  }
  const { cell, length, rows } = place;
  const move = (/** @type {number} */ to) =>
    /** @type {KeyAction} */ ({
      do: "move",
      to: Math.max(0, Math.min(length - 1, to)),
      extend: Boolean(press.shiftKey),
    });
  switch (press.key) {
    case " ":
      return { do: "toggle" };
    case "ArrowLeft":
      return move(cell - 1);
    case "ArrowRight":
      return move(cell + 1);
    case "ArrowUp":
      return move(beside(cell, rows, length, -1));
    case "ArrowDown":
      return move(beside(cell, rows, length, 1));
    case "Home":
      return move(0);
    case "End":
      return move(length - 1);
    case "Enter":
      return { do: "inspect" };
    case "Delete":
    case "Backspace":
      return { do: "erase" };
    case "Escape":
      return { do: "leave" };
    default:
      return [...press.key].length === 1 ? { do: "type", text: press.key } : null;
  }
}

/**
 * The cell above or below, as far along its row.
 * @param {number} cell
 * @param {number[]} rows where rows begin
 * @param {number} length
 * @param {1 | -1} by
 */
export function beside(cell, rows, length, by) {
  let row = rows.length - 1;
  while (row > 0 && (rows[row] ?? 0) > cell) row--;
  const target = row + by;
  if (target < 0 || target >= rows.length) return cell;
  const along = cell - (rows[row] ?? 0);
  const last = (rows[target + 1] ?? length) - 1;
  return Math.min((rows[target] ?? 0) + along, last);
}
