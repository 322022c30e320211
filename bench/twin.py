"""The twin against transformers' generate, what its KV cache saves, and the speed of all bundled models."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import torch

from bench.row import Row, at_least, at_most
from bench.timer import ratio, turns
from unmask.canvas import blank
from unmask.inference.decode import decode
from unmask.models import load
from unmask.pair.eval.generate import GeneratedText, held_out, write
from unmask.pair.worlds import kind
from unmask.run.presets import preset
from unmask.run.state import State, start

SHAPES = ("story", "record", "letter", "sort", "recipe", "sum")


def llama(twin: Any) -> Any:
    """A Llama of the twin's shape with random weights, which take the same time as trained ones."""
    import transformers

    shape = twin.network.architecture
    config = transformers.LlamaConfig(
        vocab_size=shape.vocab_size,
        hidden_size=shape.width,
        intermediate_size=shape.ffn_width,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        max_position_embeddings=2 * twin.card.longest,
        tie_word_embeddings=True,
        bos_token_id=0,
        eos_token_id=None,
        pad_token_id=0,
    )
    torch.manual_seed(0)
    return transformers.LlamaForCausalLM(config).eval()


def rows(tiny: bool = False) -> Iterator[Row]:
    twin, fast, denoiser = load("twin"), load("fast"), load("denoiser")
    torch.set_num_threads(1)
    yield generated(twin, tiny)
    yield from cached(twin, fast, tiny)
    yield from raced(twin, fast, denoiser, held_out(2 if tiny else 18, SHAPES))


def generated(twin: Any, tiny: bool) -> Row:
    network, cells = llama(twin), 16 if tiny else 64
    prompt = twin.tokenizer.encode("Story: Lily had a red kite.")
    ids = torch.tensor([[0, *prompt]])
    settings = preset("autoregressive").over(cells, end="forbid")

    def theirs() -> None:
        with torch.inference_mode():
            made = network.generate(ids, max_new_tokens=cells, do_sample=False, attention_mask=torch.ones_like(ids))
        assert made.shape[1] == ids.shape[1] + cells

    def ours() -> None:
        twin.clear_caches()
        assert len(list(decode(twin, start(blank([prompt, cells]), settings)))) == cells

    times = ratio(1 if tiny else 5, theirs, ours)
    return at_least(f"transformers.generate's time over the twin's, {cells} tokens, same shape", times, 1.3)


def cached(twin: Any, fast: Any, tiny: bool) -> Iterator[Row]:
    """Time with a KV cache over time without, and the tokens that differ, which must be none."""
    cells = 16 if tiny else 64
    for model, rule in ((twin, "autoregressive"), (fast, "draft-and-verify")):
        prompt, texts = model.tokenizer.encode("Story: Lily had a red kite."), list[list[int]]()
        opening = start(blank([prompt, cells]), preset(rule).over(cells, end="forbid"))

        def run(forgets: bool, texts: list[list[int]] = texts, model: Any = model, opening: State = opening) -> None:
            texts.append(tokens(model, opening, forgets))

        without, kept = turns(1 if tiny else 2, partial(run, True), partial(run, False))
        apart = max(sum(a != b for a, b in zip(texts[0], text, strict=True)) for text in texts)
        name = model.card.name
        yield at_least(f"{name}: no exact cache over its cache, {cells} tokens", sum(without) / sum(kept), None)
        yield at_most("the same: tokens changed", apart, 0, "", 0)


def tokens(model: Any, opening: State, forgets: bool) -> list[int]:
    """The decoded tokens; with `forgets`, caches are cleared after each pass."""
    model.clear_caches()
    last = opening
    for state, _ in decode(model, opening):
        last = state
        if forgets:
            model.clear_caches()
    found: list[int] = last.canvas.tokens.tolist()
    return found


def raced(twin: Any, fast: Any, denoiser: Any, documents: Sequence[Any]) -> Iterator[Row]:
    """Tokens a processor second over the twin's, on held-out prompts, and the number of correct texts."""
    made: dict[str, list[tuple[GeneratedText, float]]] = {"twin": [], "fast": [], "denoiser": []}
    models = {"twin": twin, "fast": fast, "denoiser": denoiser}
    for document in documents:
        for name, model in models.items():
            model.clear_caches()
            made[name].append(timed(model, document))
    for name, wanted in (("prose", 2.5), ("structured", 10.0)):
        chosen = {who: [one for one in some if kind(one[0].document.shape) == name] for who, some in made.items()}
        rates = {who: sum(c.tokens for c, _ in some) / sum(t for _, t in some) for who, some in chosen.items() if some}
        right = {who: f"{sum(c.strict for c, _ in some)}/{len(some)}" for who, some in chosen.items()}
        for who, goal in (("fast", wanted), ("denoiser", None)):
            if who in rates:
                note = f" (right {right[who]}, twin {right['twin']})"
                what = f"{models[who].card.name} over the twin, tokens a second, {name}"
                yield at_least(what, rates[who] / rates["twin"], goal, note=note)


def timed(model: Any, document: Any) -> tuple[GeneratedText, float]:
    """A decoded text and its processor seconds."""
    began = time.process_time()
    text = write(model, document)
    return text, time.process_time() - began
