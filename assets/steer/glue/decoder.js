// Gradio runs this in the page when a decoder is chosen: the controls get its values.
(...values) => document.querySelector("unmask-stage")?.controller?.runs.decode(values) ?? values;
