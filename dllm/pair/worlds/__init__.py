"""Small worlds told in many shapes: unlimited text that is true in itself, and whose truth can be checked."""

from unmask.pair.worlds.document import Document
from unmask.pair.worlds.judge import check, consistency, distinct, repetition, strict
from unmask.pair.worlds.mixture import DRILLS, MIX, OPENINGS, PROSE, SHAPES, document, kind
from unmask.run.judge import Fact, Verdict

__all__ = [
    "DRILLS",
    "MIX",
    "OPENINGS",
    "PROSE",
    "SHAPES",
    "Document",
    "Fact",
    "Verdict",
    "check",
    "consistency",
    "distinct",
    "document",
    "kind",
    "repetition",
    "strict",
]
