"""Kinds of constraint, a file each: the file's name is the kind's, and so is its function's."""
