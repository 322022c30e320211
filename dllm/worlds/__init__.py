"""Small worlds told in many shapes: unlimited text that is true in itself, and whose truth can be checked."""

from dllm.worlds.document import Document, Verdict
from dllm.worlds.fact import Fact
from dllm.worlds.judge import check, consistency, distinct, repetition, strict
from dllm.worlds.mix import DRILLS, MIX, OPENINGS, PROSE, SHAPES, document, kind

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
