"""Measurements of the bundled pair with the judge of its worlds."""
