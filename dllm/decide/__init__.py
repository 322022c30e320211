"""Decoding policies: which cells to write or erase next."""

from typing import Annotated

from unmask.decide.interface import Choice, EnumKnob, Knob, Needs, Policy, Reason, View
from unmask.decide.ranking import best, by_rank, gumbel_scores, order, ranked
from unmask.decide.registry import get_policy, policy_names, resizes

__all__ = ["Annotated", "Choice", "EnumKnob", "Knob", "Needs", "Policy", "Reason", "View"]
__all__ += ["best", "by_rank", "get_policy", "gumbel_scores", "order", "policy_names", "ranked", "resizes"]
