"""A gap has no length of its own: the model says which it is surest of; an edit is a gap where something stood."""

import httpx
import openai
import pytest

from tests.serve.process import Server
from tests.until import LONG
from unmask.serve.v1.edit import parse_edit
from unmask.serve.v1.infill_length import lengths
from unmask.serve.v1.request import Chat


class Letters:
    """A token a letter."""

    def encode(self, text: str) -> list[int]:
        return [*map(ord, text)]


FILE = """<|recently_viewed_code_snippets|>
<|/recently_viewed_code_snippets|>
<|current_file_content|>
current_file_path: a.py
one
<|code_to_edit|>
two<|cursor|>
<|/code_to_edit|>
three
<|/current_file_content|>
<|edit_diff_history|>
<|/edit_diff_history|>"""


def test_the_lengths_that_are_tried_keep_to_both_limits() -> None:
    assert lengths(8) == [1, 2, 3, 4, 6, 8] and lengths(10, least=4) == [4, 6, 8, 10]
    assert lengths(5, least=5) == [5]
    assert lengths(None, stood=20) == [12, 16, 18, 19, 20, 21, 22, 24, 28, 36]


def test_a_gap_is_as_long_as_the_model_is_sure_of_and_no_longer_than_the_limit(client: openai.OpenAI) -> None:
    fields = {"model": "tiny", "prompt": "ab", "suffix": "yz", "seed": 1}
    answer = client.completions.create(**fields, max_tokens=32)
    assert 1 <= answer.usage.completion_tokens <= 32 and answer.choices[0].finish_reason == "stop"
    exact = client.completions.create(**fields, max_tokens=7, extra_body={"min_tokens": 7})
    assert exact.usage.completion_tokens == 7
    assert client.completions.create(**fields, max_tokens=32).choices[0].text == answer.choices[0].text


def test_what_an_edit_marks_is_written_anew_between_its_sides(server: Server) -> None:
    message = {"role": "user", "content": FILE}
    part = parse_edit(Chat.model_validate({"model": "m", "messages": [message]}))
    assert (part.before, part.part, part.after) == ("one\n\n", "two", "\n\nthree\n")
    body = {"model": "tiny", "messages": [message], "seed": 1}
    answer = httpx.post(f"{server.url}/v1/edit/completions", json=body, timeout=LONG).json()
    content = answer["choices"][0]["message"]["content"]
    assert content.startswith("```\n") and content.endswith("\n```") and answer["usage"]["completion_tokens"] >= 1


def test_an_edit_sees_what_was_viewed_and_changed_as_far_as_there_is_room(server: Server) -> None:
    """Snippets and history beside the file were passed over."""
    text = FILE.replace(
        "<|recently_viewed_code_snippets|>\n", "<|recently_viewed_code_snippets|>\n<|x|>\nb.py\nfour<|/x|>\n"
    ).replace("<|edit_diff_history|>\n", "<|edit_diff_history|>\n-five\n+six\n")
    part = parse_edit(Chat.model_validate({"model": "m", "messages": [{"role": "user", "content": text}]}))
    assert (part.before, part.part, part.after) == ("one\n\n", "two", "\n\nthree\n")
    assert part.snippets == "b.py\nfour\n-five\n+six\n"
    tokenizer = Letters()
    assert part.context(tokenizer, 100) == part.snippets and part.context(tokenizer, 16) == "four\n-five\n+six\n"
    assert part.context(tokenizer, 9) == "+six\n" and part.context(tokenizer, -1) == ""
    long = FILE.replace("<|edit_diff_history|>\n", "<|edit_diff_history|>\n" + "+six\n" * 1000)
    sizes = []
    for content in (FILE, text, long):  # the last is far more than the model has room for
        body = {"model": "tiny", "messages": [{"role": "user", "content": content}], "seed": 1}
        answer = httpx.post(f"{server.url}/v1/edit/completions", json=body, timeout=LONG).json()
        sizes.append(answer["usage"]["prompt_tokens"])
    assert sizes[1] - sizes[0] == len(part.snippets) and 400 < sizes[2] < 512


@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"messages": [{"role": "user", "content": "nothing is marked"}]}, "messages"),
        ({"stream": True}, "stream"),
        ({"n": 2}, "n"),
        ({"model": "twin"}, "model"),
    ],
)
def test_what_is_no_edit_is_refused_by_name(server: Server, change: dict[str, object], param: str) -> None:
    body = {"model": "tiny", "messages": [{"role": "user", "content": FILE}]} | change
    answer = httpx.post(f"{server.url}/v1/edit/completions", json=body, timeout=LONG)
    assert answer.status_code == 400 and answer.json()["error"]["param"] == param
