"""Infers from a diffusion model's drafts when each word became final, in which blocks, and with how many rewrites.

A word counts as settled from the draft after which it never changed, which may be before the model decided it.
`tests/features/race/providers/test_draft_analysis.py` measures the error on our own runs, whose frames are known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

UNIT = re.compile(r"\s*\w+|\s*[^\w\s]|\s+\Z")
MOST = 256  # drafts that are compared, and words in each


@dataclass(frozen=True)
class DraftAnalysis:
    """The words of the last draft, and what is inferred of each."""

    words: tuple[str, ...]
    settled: tuple[int, ...]  # for each word, the draft from which it no longer changed
    times: tuple[float, ...]  # when that draft came, in seconds
    rewritten: tuple[int, ...]  # how often it was there already and was replaced
    passes: int  # drafts that differ from the one before; equals the passes if each sends a draft
    edges: tuple[int, ...]  # words at which a block begins: all words before had settled before any after

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
    """Compare each draft with the last one."""
    kept = [draft for i, draft in enumerate(drafts) if not i or draft[1] != drafts[i - 1][1]]
    passes, kept = len(kept), kept[-MOST:]
    words = UNIT.findall(kept[-1][1])[:MOST] if kept else []
    settled, rewritten, matched = [0] * len(words), [0] * len(words), [False] * len(words)
    for i, (_, text) in enumerate(kept):
        right = _matches([w.strip() for w in words], [w.strip() for w in UNIT.findall(text)[: 2 * MOST]])
        for k, now in enumerate(right):
            if now and not matched[k]:
                settled[k] = i
            rewritten[k] += matched[k] and not now
            matched[k] = now
    times = tuple(kept[i][0] for i in settled)
    return DraftAnalysis(tuple(words), tuple(settled), times, tuple(rewritten), passes, _block_edges(settled))


def _matches(words: Sequence[str], draft: Sequence[str]) -> list[bool]:
    """Which words of the last draft are in an earlier one, in the same order."""
    if len(words) == len(draft):
        return [a == b for a, b in zip(words, draft, strict=True)]
    right = [False] * len(words)
    for block in SequenceMatcher(None, words, draft, autojunk=False).get_matching_blocks():
        right[block.a : block.a + block.size] = [True] * block.size
    return right


def _block_edges(settled: Sequence[int]) -> tuple[int, ...]:
    """The words at which everything before settled no later than anything after."""
    behind, least = [0] * len(settled), 1 << 30
    for i in reversed(range(len(settled))):
        behind[i] = least = min(least, settled[i])
    edges, most = [], -1
    for i, draft in enumerate(settled):
        if i and most < behind[i]:
            edges.append(i)
        most = max(most, draft)
    return tuple(edges)
