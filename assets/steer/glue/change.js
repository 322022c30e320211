// Gradio runs this in the page when a control changes: it hands the values on.
(...values) => void document.querySelector("unmask-stage")?.controller?.runs.change(values);
