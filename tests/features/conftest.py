"""The servers that the doors' own tests use."""

from tests.serve.conftest import client, models, offers, place, server  # noqa: F401
