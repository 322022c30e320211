"""A run's constraint, prepared for its model's words, and checked: before a run, and after every edit."""

from __future__ import annotations

import json
from functools import lru_cache

from unmask.canvas import BaseTokenizer, Card
from unmask.decide.constraint import CompiledConstraint
from unmask.decide.grammar.alphabet import Alphabet
from unmask.run.settings import Settings
from unmask.run.state import State


def compile_constraint(card: Card, tokenizer: BaseTokenizer, settings: Settings) -> CompiledConstraint | None:
    """What a run's constraint allows, or None where it has none. It takes up to a second or two the first time."""
    if not settings.constraint:
        return None
    asks = () if card.expand is None else (card.expand,)  # a constraint keeps the length as it is
    never = (*card.never, *asks, *settings.bans)
    return _compile(tokenizer, card.words, never, card.ends, json.dumps(settings.constraint))


def check_constraint(card: Card, tokenizer: BaseTokenizer, state: State) -> State:
    """The state, or a sentence where its constraint cannot be met from it on."""
    if (found := compile_constraint(card, tokenizer, state.settings)) is not None:
        found.check(state.canvas)
    return state


@lru_cache(2)
def _alphabet(tokenizer: BaseTokenizer, words: int) -> Alphabet:
    return Alphabet([tokenizer.piece(token) for token in range(words)])


@lru_cache(16)
def _compile(
    tokenizer: BaseTokenizer, words: int, never: tuple[int, ...], ends: tuple[int, ...], constraint: str
) -> CompiledConstraint:
    return CompiledConstraint.compile(json.loads(constraint), _alphabet(tokenizer, words), never, ends)
