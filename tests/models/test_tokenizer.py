"""A folder's tokenizer without transformers: the same tokens and texts as transformers reads from the same files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

from tests.models.forge import words
from tests.models.forge_encoders import vocabulary
from unmask.models.hub.tokenizer import HubTokenizer, load_tokenizer

CHECKPOINTS = Path(__file__).parents[3] / "shared" / "checkpoints"
TEXTS = (
    "hello world", " hello", "  two  spaces ", "Hello, World!\n\nIt isn't \t a 'test'.", "a<|im_end|>b <|im_end|> c",
    "naïve café ÀÉ", "我们看见天空 ok", "🙂🙃 emoji", "don 't , stop . now", "EVQLVE", "", " ", "<mask> a<mask>b",
    "[MASK]x",
)  # fmt: skip
CHAT = """{%- set ns = namespace(seen=0) -%}
{%- if tools %}<|im_start|>system
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}<tool_call><|im_end|>
{% endif %}
{%- for message in messages %}
    {%- if message.content is not defined %}{% continue %}{% endif %}
    {%- set ns.seen = ns.seen + 1 %}
    {{- '<|im_start|>' + message.role + '\\n' }}
    {%- if message.reasoning_content %}<think>{{ message.reasoning_content }}</think>{% endif %}
    {%- generation %}{{ message.content | trim }}{% endgeneration %}
    {{- '<|im_end|>' }}
{% endfor %}
{{- bos_token }}{{ ns.seen }}{{ dict(a=1)['a'] }}{{ {'b': '<é>'} | tojson(indent=1) }}
{%- if add_generation_prompt %}<|im_start|>assistant
{% if enable_thinking is defined and not enable_thinking %}<think></think>{% endif %}{% endif %}"""
CONVERSATION = [
    {"role": "system", "content": "Be brief. "},
    {"role": "user", "content": " Hello, <|im_end|> you"},
    {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "look", "arguments": {"at": "é"}}}]},
    {"role": "assistant", "content": "Hi", "thinking": "why not"},
    {"role": "user", "content": "again"},
]
TOOLS = [{"type": "function", "function": {"name": "look", "description": "<&é>", "parameters": {}}}]


def byte_level(folder: Path) -> None:
    """As Qwen's folders are: special tokens in the config, one of them only there, and a template."""
    words(folder, CHAT)
    added = {
        "64": {"content": "<|im_start|>", "special": True, "normalized": False},
        "65": {"content": "<|im_end|>", "special": True, "normalized": False, "lstrip": False, "rstrip": True},
        "66": {"content": "<tool_call>", "special": False, "normalized": False},
    }
    config(
        folder, added_tokens_decoder=added, eos_token="<|im_end|>", bos_token=None, pad_token="<pad>",
        additional_special_tokens=["<|im_start|>"], extra_token="<extra>", clean_up_tokenization_spaces=True,
    )  # fmt: skip


def sentencepiece(folder: Path) -> None:
    """As Llama's older folders are: Unigram with a mark for spaces, bytes for what is unknown, and special tokens in a
    file of their own."""
    pieces = [("<unk>", 0.0), ("<s>", 0.0), ("</s>", 0.0), ("▁", -3.0), ("▁hello", -1.0), ("▁world", -1.5)]
    pieces += [(chr(c), -5.0) for c in range(97, 123)] + [(f"<0x{b:02X}>", -9.0) for b in range(256)]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    strip = decoders.Strip(" ", 1, 0)
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), strip])
    tokenizer.add_special_tokens(["<s>", "</s>"])
    tokenizer.save(str(folder / "tokenizer.json"))
    config(folder, add_bos_token=True, legacy=True, model_max_length=10**30, sp_model_kwargs={}, unk_token="<unk>")
    marks = {"bos_token": {"content": "<s>", "lstrip": False}, "eos_token": "</s>", "mask_token": "<mask>"}
    (folder / "special_tokens_map.json").write_text(json.dumps(marks))
    (folder / "added_tokens.json").write_text(json.dumps({"<|im_end|>": 300}))
    (folder / "chat_template.jinja").write_text(CHAT)


def word_pieces(folder: Path) -> None:
    """As BERT's oldest folders are: a list of words alone."""
    listed = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "hello", "world", "##s", "!", ",", ".", "'", "it", "isn"]
    listed += ["don", "t", "stop", "now", "test", "a", "两", "我", "naive", "cafe", "na", "##ve"]
    (folder / "vocab.txt").write_text("\n".join(listed) + "\n", encoding="utf-8")


def cased_word_pieces(folder: Path) -> None:
    word_pieces(folder)
    config(folder, do_lower_case=False, strip_accents=False, clean_up_tokenization_spaces=True, unk_token="[UNK]")


def qwen_vocabulary(folder: Path) -> None:
    """As Qwen's folders without tokenizer.json are."""
    from unmask.models.bundled import byte_letters

    listed = [*byte_letters().values(), "he", "ll", "hell", "hello", "Ġw", "Ġa", "Ġ1"]
    (folder / "vocab.json").write_text(json.dumps({word: i for i, word in enumerate(listed)}))
    (folder / "merges.txt").write_text("#version: 0.2\nh e\nl l\nhe ll\nhell o\nĠ w\nĠ a\nĠ 1\n")
    added = {str(len(listed) + i): {"content": f"<|im_{w}|>", "special": True} for i, w in enumerate(("start", "end"))}
    config(folder, added_tokens_decoder=added, eos_token="<|im_end|>", bos_token="<|im_start|>", add_bos_token=True)


def several_templates(folder: Path) -> None:
    byte_level(folder)
    plain, for_tools = CHAT.replace("{{ ns.seen }}", "plain"), CHAT.replace("{{ ns.seen }}", "tools")
    named = [{"name": "default", "template": plain}, {"name": "tool_use", "template": for_tools}]
    config(folder, chat_template=named)


def padded(folder: Path) -> None:
    """A tokenizer.json that pads and cuts, which must not happen to a prompt."""
    words(folder, None)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_padding(length=12, pad_id=60, pad_token="8")
    tokenizer.enable_truncation(4)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    config(folder, split_special_tokens=True, extra_special_tokens={"image_token": "<image>"}, mask_token="<mask>")


def config(folder: Path, **fields: Any) -> None:
    file = folder / "tokenizer_config.json"
    before = json.loads(file.read_text()) if file.exists() else {}
    file.write_text(json.dumps(before | fields))


FOLDERS: dict[str, Callable[[Path], None]] = {
    make.__name__: make
    for make in (
        byte_level, sentencepiece, word_pieces, cased_word_pieces, qwen_vocabulary, several_templates, padded,
        vocabulary,
    )
}  # fmt: skip
SHARED = sorted(str(file.parent) for file in CHECKPOINTS.rglob("tokenizer.json"))


def of_transformers(folder: Path) -> Any:
    kind: Any = transformers.PreTrainedTokenizerFast
    if not (folder / "tokenizer.json").exists():
        kind = transformers.BertTokenizerFast if (folder / "vocab.txt").exists() else transformers.Qwen2TokenizerFast
    return kind.from_pretrained(str(folder), local_files_only=True)


@pytest.fixture(params=[*FOLDERS, *SHARED])
def both(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[HubTokenizer, Any]:
    folder = tmp_path
    if request.param in FOLDERS:
        FOLDERS[request.param](tmp_path)
    else:
        folder = Path(request.param)
    ours = load_tokenizer(folder, 64, {})
    assert isinstance(ours, HubTokenizer)
    return ours, of_transformers(folder)


def test_texts_have_the_tokens_of_transformers(both: tuple[HubTokenizer, Any]) -> None:
    ours, theirs = both
    for text in TEXTS:
        wanted = theirs.encode(text, add_special_tokens=False)
        assert ours.backend.encode(text, add_special_tokens=False).ids == wanted, text


def test_tokens_have_the_texts_of_transformers(both: tuple[HubTokenizer, Any]) -> None:
    ours, theirs = both
    for text in TEXTS:
        tokens = theirs.encode(text)  # special tokens too
        assert ours.decode(tokens) == theirs.decode(tokens, skip_special_tokens=True), text
    assert ours.backend.get_vocab() == theirs.get_vocab()


def test_special_tokens_are_those_of_transformers(both: tuple[HubTokenizer, Any]) -> None:
    ours, theirs = both
    assert dict(ours.files.roles) == theirs.special_tokens_map
    assert ours.files.special == set(theirs.all_special_tokens)
    for role in ("bos", "eos", "unk", "sep", "pad", "cls", "mask"):
        assert ours.files.role(role) == getattr(theirs, f"{role}_token_id"), role
    added = {token: str(text) for token, text in theirs.added_tokens_decoder.items()}
    assert {token: str(text) for token, text in ours.backend.get_added_tokens_decoder().items()} == added
    assert bool(ours.files.begins) == bool(theirs.add_bos_token)


@pytest.mark.parametrize("tools", [[], TOOLS], ids=["alone", "tools"])
@pytest.mark.parametrize("values", [{}, {"enable_thinking": False, "bos_token": "own"}], ids=["plain", "values"])
def test_a_conversation_is_written_as_by_transformers(
    both: tuple[HubTokenizer, Any], tools: list[dict[str, Any]], values: dict[str, Any]
) -> None:
    ours, theirs = both
    assert ours.chat == bool(theirs.chat_template)
    if not ours.chat:
        return
    wanted = theirs.apply_chat_template(
        CONVERSATION, tools=tools or None, add_generation_prompt=True, tokenize=False, **values
    )
    assert ours.chat_text(CONVERSATION, tools, values) == wanted
    assert ours.apply_chat_template(CONVERSATION, tools, values) == theirs.encode(wanted, add_special_tokens=False)
