"""The worlds that the bundled pair writes of, their judge, and its table of figures."""
