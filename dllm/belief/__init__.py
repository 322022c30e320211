"""What is believed, as data; and luck."""

from dllm.belief.belief import Belief, Together
from dllm.belief.luck import NOISE, ORDER, PROPOSE, REOPEN, luck, noisy
