"""The server of the doors' own tests."""

from tests.serve.conftest import models, offers, server  # noqa: F401
