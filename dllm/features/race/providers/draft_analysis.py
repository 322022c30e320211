"""What drafts say of a diffusing model at work: when each word settled, in which blocks, with how many rewrites.

Only drafts are seen, so all of it is inferred: a word counts as settled from the first draft on after which it never
changed, which may be before the model decided it. `tests/features/race/providers/test_draft_analysis.py` says how far
off that is, by hiding our own frames and comparing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

UNIT = re.compile(r"\s*\w+|\s*[^\w\s]|\s+\Z")
MOST = 256  # drafts that are compared, and words


@dataclass(frozen=True)
class DraftAnalysis:
    """The words of the last draft, and what is inferred of each."""

    words: tuple[str, ...]
    settled: tuple[int, ...]  # for each word, the draft from which on it stood
    times: tuple[float, ...]  # when that draft came, in seconds
    rewritten: tuple[int, ...]  # how often it stood there already and was taken back
    passes: int  # drafts that differ from the one before: the passes, where every pass sends one
    edges: tuple[int, ...]  # words at which a block begins: all before it had settled before any behind it did

    def to_dict(self) -> dict[str, Any]:
        return {
            "words": [*self.words],
            "settled": [*self.settled],
            "times": [round(t, 4) for t in self.times],
            "rewritten": sum(self.rewritten),
            "passes": self.passes,
            "edges": [*self.edges],
        }


def analyse_drafts(drafts: Sequence[tuple[float, str]]) -> DraftAnalysis:
    """What drafts that replace each other tell, by comparing each with the last."""
    kept = [draft for i, draft in enumerate(drafts) if not i or draft[1] != drafts[i - 1][1]]
    passes, kept = len(kept), kept[-MOST:]
    words = UNIT.findall(kept[-1][1])[:MOST] if kept else []
    settled, rewritten, stood = [0] * len(words), [0] * len(words), [False] * len(words)
    for i, (_, text) in enumerate(kept):
        right = _alike([w.strip() for w in words], [w.strip() for w in UNIT.findall(text)[: 2 * MOST]])
        for k, now in enumerate(right):
            if now and not stood[k]:
                settled[k] = i
            rewritten[k] += stood[k] and not now
            stood[k] = now
    times = tuple(kept[i][0] for i in settled)
    return DraftAnalysis(tuple(words), tuple(settled), times, tuple(rewritten), passes, _edges(settled))


def _alike(words: Sequence[str], draft: Sequence[str]) -> list[bool]:
    """Which words of the last draft stand in an earlier one, at their place among the others."""
    if len(words) == len(draft):
        return [a == b for a, b in zip(words, draft, strict=True)]
    right = [False] * len(words)
    for block in SequenceMatcher(None, words, draft, autojunk=False).get_matching_blocks():
        right[block.a : block.a + block.size] = [True] * block.size
    return right


def _edges(settled: Sequence[int]) -> tuple[int, ...]:
    """Where everything on the left stood before anything on the right did."""
    behind, least = [0] * len(settled), 1 << 30
    for i in reversed(range(len(settled))):
        behind[i] = least = min(least, settled[i])
    edges, most = [], -1
    for i, draft in enumerate(settled):
        if i and most < behind[i]:
            edges.append(i)
        most = max(most, draft)
    return tuple(edges)
