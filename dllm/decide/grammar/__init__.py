"""Which texts are allowed, cell by cell and in any order of writing."""
