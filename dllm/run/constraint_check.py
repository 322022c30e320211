"""Compiles the constraint of a run for its model's vocabulary, and checks it before a run and after every edit."""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from contextlib import suppress
from functools import lru_cache

from unmask.canvas import BaseTokenizer, Card
from unmask.decide.constraint import CompiledConstraint, Spellings
from unmask.decide.grammar.alphabet import Alphabet
from unmask.decide.record import record_rule
from unmask.errors import InvalidRequest, about_field
from unmask.run.settings import Settings
from unmask.run.state import State
from unmask.run.word_request import wanted_texts

MOST_BYTES = 24 << 20  # of all compiled constraints that are kept
KEPT = 2  # that are kept, however large


def compile_constraint(card: Card, tokenizer: BaseTokenizer, settings: Settings) -> CompiledConstraint | None:
    """The compiled constraint of a run, or None if it has none; cached. The first time it takes up to two seconds."""
    if not settings.constraint:
        return None
    expand = () if card.expand is None else (card.expand,)  # with a constraint, the length is fixed
    never = (*card.never, *expand, *settings.bans)
    question = card.record.partition("{}")[2].strip()
    return _compile(tokenizer, card.words, never, card.ends, card.skips, question, json.dumps(settings.constraint))


def check_constraint(card: Card, tokenizer: BaseTokenizer, state: State) -> State:
    """The state itself; InvalidRequest if its constraint cannot be met any more."""
    with about_field("constraint"):
        if (found := compile_constraint(card, tokenizer, state.settings)) is not None:
            found.check(state.canvas)
    return state


def _spellings(tokenizer: BaseTokenizer, texts: Sequence[str]) -> Spellings:
    """These texts as tokens; none that this model cannot spell, for which a run is refused."""
    found = []
    for text in texts:
        with suppress(InvalidRequest):
            found.append((tuple(tokenizer.encode(f" {text}")), tuple(tokenizer.encode(text))))
    return tuple(found)


@lru_cache(2)
def _alphabet(tokenizer: BaseTokenizer, words: int) -> Alphabet:
    return Alphabet(tokenizer.all_pieces(words))


_COMPILED: dict[Hashable, CompiledConstraint] = {}  # the one that was used last is at the end


def _compile(
    tokenizer: BaseTokenizer,
    words: int,
    never: tuple[int, ...],
    ends: tuple[int, ...],
    skips: tuple[int, ...],
    question: str,
    constraint: str,
) -> CompiledConstraint:
    key = (tokenizer, words, never, ends, skips, question, constraint)
    if (found := _COMPILED.get(key)) is None:
        row = json.loads(constraint)
        alphabet = _alphabet(tokenizer, words)
        wanted, options = (_spellings(tokenizer, texts) for texts in (wanted_texts(row), row.get("options", ())))
        record = record_rule(row, question, tokenizer)
        found = CompiledConstraint.compile(row, alphabet, never, ends, skips, wanted, options, record)
    _COMPILED.pop(key, None)
    _COMPILED[key] = found
    for old in [*_COMPILED][:-KEPT]:
        if sum(one.language.size for one in [*_COMPILED.values()]) > MOST_BYTES:
            _COMPILED.pop(old, None)
    return found
