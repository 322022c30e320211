"""Runs that are kept on disk and continue after the server restarts."""
