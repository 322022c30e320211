"""From a state to a belief."""

from dllm.think.recall import Recall
from dllm.think.think import surprise, think
from dllm.think.unthinkable import Unthinkable
