"""How long Hypothesis looks (enough for every day, far longer under `make fuzz`), and who comes last."""

import pytest
from hypothesis import settings

# No deadline: on a shared machine a slow example says nothing about the code.
settings.register_profile("everyday", deadline=None, print_blob=True)
settings.register_profile("fuzz", deadline=None, print_blob=True, max_examples=5_000, stateful_step_count=100)
settings.load_profile("everyday")


@pytest.hookimpl(trylast=True)  # after the folders have said which of theirs need a browser
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # Playwright's synchronous driver keeps a loop running in this thread, in which no asynchronous test can start.
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)
