"""Measurements from which limits, warnings and examples of the bundled pair are made."""
