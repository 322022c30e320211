"""From a state to a belief."""

from unmask.inference.distribution_cache import DistributionCache
from unmask.inference.infer import infer, surprisal
