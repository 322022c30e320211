"""Model inference: turns a run's state into a belief, and everything that is measured with extra forwards."""

from unmask.inference.infer import infer, surprisal
from unmask.inference.memory import DistributionCache
