"""Questions that are answered about a moment of a run: what a cell depends on, what would have happened."""

from unmask.features.lenses.answers import LensAnswers
from unmask.serve.features import Feature

FEATURE = Feature("lenses", messages=LensAnswers)
