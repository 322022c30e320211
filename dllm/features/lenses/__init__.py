"""Questions that are answered about a moment of a run: what a cell depends on, what would have happened."""
