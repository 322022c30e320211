/* global props, trigger -- Gradio's: an order that is opened on the stage becomes its value, as JSON */
document.addEventListener("unmask-order", (event) => ((props.value = event.detail), trigger("input")));
