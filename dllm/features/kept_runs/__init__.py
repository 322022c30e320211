"""Runs that are kept on disk and continue after the server restarts."""

from unmask.features.kept_runs.keeper import keeper
from unmask.serve.features import Feature

FEATURE = Feature("kept_runs", keeper=keeper)
