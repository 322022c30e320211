"""Where to write next."""

from typing import Annotated

from dllm.decide.contract import Choice, Knob, Needs, Pick, Policy, Reason, View
from dllm.decide.ranking import best, by_rank, order, ranked, shaken
from dllm.decide.registry import named, names

__all__ = ["Annotated", "Choice", "Knob", "Needs", "Pick", "Policy", "Reason", "View"]
__all__ += ["best", "by_rank", "named", "names", "order", "ranked", "shaken"]
