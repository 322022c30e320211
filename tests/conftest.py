"""How long Hypothesis looks: enough for every day, and far longer under `make fuzz`."""

from hypothesis import settings

# No deadline: on a shared machine a slow example says nothing about the code.
settings.register_profile("everyday", deadline=None, print_blob=True)
settings.register_profile("fuzz", deadline=None, print_blob=True, max_examples=5_000, stateful_step_count=100)
settings.load_profile("everyday")
