"""Doors: how the world outside reaches sessions."""
