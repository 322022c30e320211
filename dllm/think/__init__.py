"""From a state to a belief."""

from dllm.think.think import Recall, Unthinkable, surprise, think
