"""The page: Gradio forms around custom elements that draw the runs."""
