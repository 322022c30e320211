"""A checkpoint whose tokenizer or template means harm: a refusal in a sentence, soon, and nothing of it runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.models.forge import words
from unmask.errors import InvalidRequest
from unmask.models.hub.tokenizer import HubTokenizer, load_tokenizer

ASK = [{"role": "user", "content": "hello"}]


def tokenizer(folder: Path, template: str | None = None, **changes: Any) -> HubTokenizer:
    words(folder, template)
    file = folder / "tokenizer.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))
    made = load_tokenizer(folder, 64, {})
    assert isinstance(made, HubTokenizer)
    return made


@pytest.mark.parametrize(
    "template",
    [
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{% macro m(n) %}{{ m(n + 1) }}{% endmacro %}{{ m(0) }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ cycler.__init__.__globals__.os.system('touch CANARY') }}",
        "{{ raise_exception('no\\nmore') }}",
        "{% include '/etc/passwd' %}",
        "{{ messages.append(1) }}",
        "{% if",
        "{% set ns = namespace(__class__=1) %}{{ ns.a }}",
        "{% set ns = namespace() %}{% set ns._a = 1 %}",
        "{{ dict.__subclasses__() }}",
        "{% generation %}{{ messages.clear() }}{% endgeneration %}",
    ],
)
def test_a_template_that_means_harm(tmp_path: Path, template: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidRequest, match="chat template") as refused:
        tokenizer(tmp_path, template.replace("CANARY", str(tmp_path / "canary"))).apply_chat_template(ASK)
    assert "\n" not in str(refused.value) and not (tmp_path / "canary").exists()


def test_a_template_that_means_well_is_filled_in_as_before(tmp_path: Path) -> None:
    template = (
        "{% for m in messages %}{{ m.role }}: {{ m['content'] }}{% endfor %}{% if add_generation_prompt %}a:{% endif %}"
    )
    made = tokenizer(tmp_path, template)
    assert made.decode(made.apply_chat_template(ASK)) == made.chat_text(ASK, [], {}) == "user: helloa:"


def test_a_pattern_that_never_ends_is_given_up(tmp_path: Path) -> None:
    """The library panics, with an error that is no `Exception`."""
    endless = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}
    made = tokenizer(tmp_path, pre_tokenizer=endless)
    with pytest.raises(InvalidRequest, match="tokenizer cannot read this text"):
        made.encode("a" * 60 + "!")


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"version": "1.0", "model": {"type": "BPE", "vocab": {"a": -1}, "merges": []}}',
        '{"version": "1.0", "model": {"type": "BPE", "vocab": {"a": 1e99}, "merges": []}}',
        '{"version": "1.0", "model": {"type": "BPE", "vocab": {}, "merges": [["a", "b"]]}}',
        '{"version": "1.0", "model": {"type": "Nothing"}}',
        "[" * 100_000,
        '{"a":' * 5_000 + "1" + "}" * 5_000,
        "\x00" * 100,
    ],
    ids=lambda text: text[:30],
)
def test_a_tokenizer_that_is_none(tmp_path: Path, text: str) -> None:
    words(tmp_path, None)
    (tmp_path / "tokenizer.json").write_text(text)
    with pytest.raises(InvalidRequest, match="cannot be read"):
        load_tokenizer(tmp_path, 64, {}).encode("abc")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tokenizer_config.json", "[1"),
        ("tokenizer_config.json", "[1, 2]"),
        ("tokenizer_config.json", '"text"'),
        ("tokenizer_config.json", '{"added_tokens_decoder": {"one": {"content": "a"}}}'),
        ("tokenizer_config.json", '{"added_tokens_decoder": {"70": {"content": 5}}}'),
        ("tokenizer_config.json", '{"added_tokens_decoder": [1]}'),
        ("tokenizer_config.json", '{"eos_token": {"no": 1}}'),
        ("tokenizer_config.json", '{"additional_special_tokens": 7}'),
        ("tokenizer_config.json", '{"chat_template": [{"name": "default"}]}'),
        ("special_tokens_map.json", '{"eos_token": {"content": []}}'),
        ("added_tokens.json", '{"a": {}}'),
        ("chat_template.jinja", "\udcff"),
    ],
)
def test_a_file_beside_the_tokenizer_that_is_none(tmp_path: Path, name: str, text: str) -> None:
    words(tmp_path, None)
    (tmp_path / name).write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(InvalidRequest, match="cannot be read") as refused:
        load_tokenizer(tmp_path, 64, {})
    assert "\n" not in str(refused.value)


def test_a_vocabulary_without_its_merges_is_refused(tmp_path: Path) -> None:
    (tmp_path / "vocab.json").write_text('{"a": 0}')
    with pytest.raises(InvalidRequest, match="cannot be read"):
        load_tokenizer(tmp_path, 64, {})
