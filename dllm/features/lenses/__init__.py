"""Answers questions about a moment of a run: what a word depends on, which words clash, what a constraint allows."""

from unmask.features.lenses.lenses import LensAnswers
from unmask.features.lenses.requests import QUESTIONS
from unmask.serve.features import Feature

FEATURE = Feature("lenses", messages=LensAnswers, requests=QUESTIONS, recorded=True)
