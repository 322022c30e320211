"""One file per kind of constraint; the file and its function have the name of the kind."""
