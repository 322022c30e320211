/* global element, props, trigger, watch -- Gradio's: what is chosen becomes its value, and what Python chooses is shown */
element.addEventListener("unmask-decoder", (event) => ((props.value = event.detail), trigger("input")));
watch("value", () => element.querySelector("unmask-decoders")?.choose(props.value));
