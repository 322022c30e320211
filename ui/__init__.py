"""The page: Gradio forms around a stage that paints itself."""
