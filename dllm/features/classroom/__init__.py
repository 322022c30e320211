"""A class that follows one presenter's run, and answers polls about it."""
