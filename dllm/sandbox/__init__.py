"""Runs code that a model wrote, in a process with limits."""
