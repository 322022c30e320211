"""gradio_client, as a program elsewhere would use it, decodes on the running app."""

import json
import re
import subprocess
import sys

import pytest
from gradio_client import Client
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from tests.serve.process import ROOT, free_port
from unmask.ui.app import serve


@pytest.fixture(scope="module")
def client():
    blocks = serve(free_port(), prevent_thread_lock=True, quiet=True, models=("toy",))
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


def test_each_blank_has_an_entry(client: Client) -> None:
    last = client.submit("1 ___ 2 [MASK:2] 3", "toy", "fast-dllm", 12, 0, None, api_name="/decode").result(timeout=60)
    assert [len(text.split()) for text in last["blanks"]] == [3, 2]
    assert last["whole"].split()[0] == "1" and len(last["whole"].split()) == 8


def test_decoders_are_compared_on_one_prompt(client: Client) -> None:
    rows = client.predict("1 2 3", ["fast-dllm", "llada"], "toy", 12, 0, api_name="/compare")
    assert [row["preset"] for row in rows] == ["fast-dllm", "llada"]
    assert all(row["passes"] >= 1 and row["tokens"] == 12 and row["seconds"] > 0 for row in rows)


def test_a_word_says_why_it_stands_there(client: Client) -> None:
    about = client.predict("1 2 3", 2, "toy", "fast-dllm", 12, 0, api_name="/why")
    guessed_then = next(g for g in about["guesses"] if g["pass"] == about["wrote"]["at"])
    assert about["wrote"]["why"] and guessed_then["guess"] == about["token"] and len(about["candidates"]) == 5
    with pytest.raises(Exception, match="12 cells"):
        client.predict("1 2 3", 12, "toy", "fast-dllm", 12, 0, api_name="/why")


def test_a_text_is_judged(client: Client) -> None:
    assert client.predict("Sum: 2 + 2 = 5", "", api_name="/judge")["strict"] is False
    assert client.predict("What?", "", api_name="/judge")["facts"] == []


def test_only_what_the_menu_offers_is_opened(client: Client, tmp_path) -> None:
    """Whoever sits at this machine may open any folder on the page; a program that was told to by an agent may not."""
    for name in (str(tmp_path), "Qwen/Qwen3-0.6B"):
        with pytest.raises(Exception, match="no model"):
            client.predict("1", ["fast-dllm"], name, 4, 0, api_name="/compare")


def test_the_tools_and_nothing_else_are_public(client: Client) -> None:
    assert set(client.view_api(return_format="dict")["named_endpoints"]) == {"/decode", "/compare", "/why", "/judge"}


async def test_an_agent_finds_the_tools_with_their_parameters_and_gets_json(client: Client) -> None:
    async with (
        streamable_http_client(f"{client.src}gradio_api/mcp/") as (read, write, *_),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        assert set(tools) == {"decode", "compare", "why", "judge"}
        for tool in tools.values():
            fields = tool.inputSchema["properties"]
            assert "JSON" in (tool.description or "") and all(f.get("description") for f in fields.values()), tool.name
        answer = await session.call_tool("decode", {"prompt": "1 ___ 2", "model": "toy", "preset": "fast-dllm"})
        last = json.loads(answer.content[-1].text)
        assert last["done"] and len(last["blanks"]) == 1


def test_the_snippets_of_the_apis_page_run(client: Client) -> None:
    page = (ROOT / "docs" / "api.md").read_text()
    (snippet,) = re.findall(r"```py\n(.*?)```", page, re.S)
    command = [sys.executable, "-c", snippet.replace("http://127.0.0.1:7860", client.src)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "True"
