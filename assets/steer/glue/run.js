// Gradio runs this in the page when somebody asks for a run: the values first, then the run.
(...values) => void document.querySelector("unmask-stage")?.controller?.run(values);
