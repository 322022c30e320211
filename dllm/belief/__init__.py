"""What is believed, as data; and luck."""

from unmask.belief.belief import Belief, Together
from unmask.belief.rng import NOISE, ORDER, PROPOSE, REOPEN, luck, noisy
