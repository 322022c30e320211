"""Scorers: one file each, with `def score(prompt, text, reference) -> float`, from 0 (wrong) to 1 (right)."""
