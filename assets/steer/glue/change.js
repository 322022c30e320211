// Gradio runs this in the page when a control changes: it hands the values on.
(...values) => void globalThis.unmask?.runs.change(values);
