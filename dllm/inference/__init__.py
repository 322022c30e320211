"""From a state to a belief."""

from unmask.inference.distribution_cache import Recall
from unmask.inference.infer import surprise, think
