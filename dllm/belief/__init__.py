"""A model's prediction as data, and reproducible random draws."""

from unmask.belief.belief import Belief, PairwiseLift
from unmask.belief.rng import NOISE, ORDER, PROPOSE, REOPEN, fill_with_noise, random_draws
