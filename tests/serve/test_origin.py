"""Pages from elsewhere and rebound names are refused before a socket opens."""

from collections.abc import Callable

import pytest
from starlette.datastructures import Headers
from websockets.exceptions import InvalidStatus

from tests.serve.place import Place
from unmask.serve.access import with_root_path
from unmask.serve.admission import is_allowed, is_local, visitor


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
        ("https://me-unmask.hf.space", "me-unmask.hf.space", False),
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


def test_the_hosts_of_spaces_are_ours_on_a_space_only(configure: Callable[..., None]) -> None:
    assert not is_allowed(None, "me-unmask.hf.space")
    configure(SPACE_ID="me/unmask")
    assert is_allowed("https://me-unmask.hf.space", "me-unmask.hf.space")
    assert not is_allowed(None, "abc.gradio.live")


V4, V6 = "203.0.113.9", "2001:db8::9"
FORGED = "198.51.100.1"


@pytest.mark.parametrize(
    ("settings", "lines", "who"),
    [
        ({}, [], "10.0.0.2"),
        ({}, [V4], "10.0.0.2"),
        ({"UNMASK_PROXIES": "1"}, [V4], V4),
        ({"UNMASK_PROXIES": "1"}, [f"{FORGED}, {V4}"], V4),
        ({"UNMASK_PROXIES": "1"}, [FORGED, V4], V4),
        ({"UNMASK_PROXIES": "1"}, [f"{V4}:51234"], V4),
        ({"UNMASK_PROXIES": "1"}, ["unknown"], "10.0.0.2"),
        ({"UNMASK_PROXIES": "1"}, [], "10.0.0.2"),
        ({"UNMASK_PROXIES": "1"}, [f"[{V6}]:443"], "2001:db8::/64"),
        ({"UNMASK_PROXIES": "1"}, [f"::ffff:{V4}"], V4),
        ({"UNMASK_PROXIES": "2"}, [f"{FORGED}, {V4}", "10.0.0.1"], V4),
        ({"UNMASK_PROXIES": "2"}, [f"{V4}, 10.0.0.1"], V4),
        ({"UNMASK_PROXIES": "2"}, [FORGED], "10.0.0.2"),
        ({"SPACE_ID": "me/unmask"}, [f"{FORGED}, {V4}"], V4),
        ({"SPACE_ID": "me/unmask", "UNMASK_PROXIES": "0"}, [V4], "10.0.0.2"),
    ],
)
def test_a_visitor_is_who_the_last_trusted_proxy_saw(
    configure: Callable[..., None], settings: dict[str, str], lines: list[str], who: str
) -> None:
    """Two lines, a port or a forged first entry once made a new visitor each time."""
    configure(**settings)
    headers = Headers(raw=[(b"x-forwarded-for", line.encode()) for line in lines])
    assert visitor(headers, "10.0.0.2") == who


@pytest.mark.parametrize("name", ["UNMASK_HOSTS", "UNMASK_PROXIES", "SPACE_ID", "SPACE_HOST", "GRADIO_SERVER_NAME"])
def test_nobody_is_near_a_server_that_is_set_up_for_others(configure: Callable[..., None], name: str) -> None:
    """Behind a proxy on the same machine that adds no header, each visitor once had the rights of the owner."""
    assert is_local(Headers(), "127.0.0.1") and not is_local(Headers({"Via": "1.1 a"}), "127.0.0.1")
    assert not is_local(Headers(), "10.0.0.2")
    configure(**{name: "1"})
    assert not is_local(Headers(), "127.0.0.1")


@pytest.mark.parametrize("root", ["/demo", "https://example.org/demo/"])
@pytest.mark.parametrize(
    ("path", "below"), [("/menu", "/menu"), ("/demo/menu", "/menu"), ("/demo", "/"), ("/demon", "/demon")]
)
def test_a_path_below_a_root_path_is_found_stripped_or_not(root: str, path: str, below: str) -> None:
    scope, found = with_root_path({"root_path": root, "path": path, "raw_path": path.encode()})
    assert found == below and scope["root_path"] == "/demo" and scope["path"] == f"/demo{below}"
