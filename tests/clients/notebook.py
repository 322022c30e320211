"""A notebook in a real kernel: a run shows itself as HTML."""

import nbclient
import nbformat

CODE = 'import unmask\nunmask.decode("Story: Lily had a red kite.")'

notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CODE)])
nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
shown = notebook.cells[0].outputs[-1]["data"]
assert "look 1 of" in shown["text/html"] and "Lily had a red kite." in shown["text/html"], shown
assert shown["text/plain"].startswith("Run("), shown
