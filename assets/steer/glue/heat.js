/* global element, props, trigger -- Gradio's: it runs this when the strip is there, and what is drawn becomes its value */
element.addEventListener("unmask-schedule", (event) => ((props.value = event.detail), trigger("input")));
