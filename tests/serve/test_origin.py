"""Pages from elsewhere and rebound names are refused before a socket opens."""

import pytest
from websockets.exceptions import InvalidStatus

from tests.serve.place import Place
from unmask.serve.admission import is_allowed


@pytest.mark.parametrize(
    ("headers", "let_in"),
    [
        ({}, True),
        ({"Origin": "http://127.0.0.1:{port}"}, True),
        ({"Origin": "http://127.0.0.1:1"}, False),
        ({"Origin": "https://elsewhere.example"}, False),
        ({"Origin": "null"}, False),
        ({"Origin": "http://["}, False),
    ],
)
async def test_a_foreign_page_is_refused_before_accept(place: Place, headers: dict[str, str], let_in: bool) -> None:
    fields = {k: v.format(port=place.port) for k, v in headers.items()}
    if let_in:
        async with place.caller(additional_headers=fields) as caller:
            assert (await caller.open())["did"] == "opened"
        return
    with pytest.raises(InvalidStatus) as refused:
        async with place.caller(additional_headers=fields):
            pass
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize(
    ("origin", "host", "let_in"),
    [
        (None, "localhost:7860", True),
        ("http://localhost:7860", "localhost:7860", True),
        ("http://[::1]:7860", "[::1]:7860", True),
        ("https://me-unmask.hf.space", "me-unmask.hf.space", True),
        (None, "rebound.example", False),
        ("http://rebound.example", "rebound.example", False),
        ("https://evilhf.space", "evilhf.space", False),
        ("http://localhost:7861", "localhost:7860", False),
        (None, "", False),
        (None, "[", False),
        (None, "localhost.evil.example", False),
    ],
)
def test_a_rebound_name_is_not_ours(origin: str | None, host: str, let_in: bool) -> None:
    assert is_allowed(origin, host) is let_in
