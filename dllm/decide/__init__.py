"""Where to write next."""

from typing import Annotated

from unmask.decide.interface import Choice, Knob, Needs, Pick, Policy, Reason, View
from unmask.decide.ranking import best, by_rank, order, ranked, shaken
from unmask.decide.registry import named, names

__all__ = ["Annotated", "Choice", "Knob", "Needs", "Pick", "Policy", "Reason", "View"]
__all__ += ["best", "by_rank", "named", "names", "order", "ranked", "shaken"]
