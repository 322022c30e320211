"""gradio_client, as a program elsewhere would use it, decodes on the running app."""

import pytest
from gradio_client import Client

from app import serve


@pytest.fixture(scope="module")
def client():
    blocks = serve(None, prevent_thread_lock=True, quiet=True, models=("toy",))
    try:
        yield Client(blocks.local_url, verbose=False)
    finally:
        blocks.close()


def test_decode_streams_every_pass_and_ends_with_measures(client: Client) -> None:
    job = client.submit("1 2 3", "toy", "fast-dllm", 12, 0, None, api_name="/decode")
    last = job.result(timeout=60)
    outputs = job.outputs()
    assert last["done"] and last["measures"]["passes"] == len(outputs) - 1
    assert [t["pass"] for t in outputs[:-1]] == list(range(1, len(outputs)))
    assert outputs[-2]["text"] == last["text"]


def test_what_cannot_be_is_said_in_a_sentence(client: Client) -> None:
    with pytest.raises(Exception, match="no preset 'nonsense'"):
        client.predict("1 2 3", "toy", "nonsense", 12, 0, None, api_name="/decode")


def test_only_decode_is_public(client: Client) -> None:
    assert list(client.view_api(return_format="dict")["named_endpoints"]) == ["/decode"]
