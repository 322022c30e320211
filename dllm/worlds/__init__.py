"""Small worlds told in many shapes: unlimited text that is true in itself, and whose truth can be checked."""

from dllm.worlds.document import Document, Verdict
from dllm.worlds.fact import Fact
from dllm.worlds.judge import check, consistency, distinct, repetition, strict
from dllm.worlds.mix import MIX, OPENINGS, SHAPES, document

__all__ = [
    "MIX",
    "OPENINGS",
    "SHAPES",
    "Document",
    "Fact",
    "Verdict",
    "check",
    "consistency",
    "distinct",
    "document",
    "repetition",
    "strict",
]
