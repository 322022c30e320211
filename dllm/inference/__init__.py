"""Model inference: turns a run's state into a belief, and everything that is measured with extra forwards."""

from unmask.inference.distribution_cache import DistributionCache
from unmask.inference.infer import infer, surprisal
