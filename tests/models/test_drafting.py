"""Drafting and verifying with one set of weights: the text is the autoregressive one, and a round costs one forward."""

from collections.abc import Iterator

import numpy as np
import pytest
import torch

from unmask.canvas import Floats, Ints
from unmask.models.graph_network import GraphNetwork
from unmask.models.hub.drafting import Drafting
from unmask.models.interface import ModelInput
from unmask.models.transformer import Transformer, TransformerConfig

SEPARATOR, MASK, AHEAD = 0, 1, 5


@pytest.fixture(scope="module")
def network() -> GraphNetwork:
    torch.manual_seed(3)
    made = Transformer(TransformerConfig(24, 32, 2, 2, 64, True))
    for layer in made.layers:  # what adds to the stream starts at nothing: a fresh network would only repeat its input
        torch.nn.init.normal_(layer.gather.weight, std=0.2)
        torch.nn.init.normal_(layer.settle.weight, std=0.2)
    return made.graph()


def model_input(tokens: Ints, still_open: list[int], rows: list[int], origin: int, causal: bool) -> ModelInput:
    hidden = np.zeros(len(tokens), bool)
    hidden[still_open] = True
    place = np.arange(len(tokens))
    return ModelInput(tokens, hidden, np.array(rows), place, None, origin, None, (origin, len(tokens)), causal, AHEAD)


def greedy(network: GraphNetwork, prompt: list[int], room: int) -> list[int]:
    ids = [SEPARATOR, *prompt]
    with torch.inference_mode():
        for _ in range(room):
            logits = network.logits(torch.tensor([ids]), torch.tensor([len(ids) - 1]))[0, 0]
            logits[MASK] = -1e9
            ids.append(int(logits.argmax()))
    return ids[1 + len(prompt) :]


def rounds(drafting: Drafting, prompt: list[int], room: int) -> Iterator[tuple[int, Ints]]:
    """Draft, verify, keep what agrees and the word where it does not: after each round, its forwards and the text."""
    origin = len(prompt)
    tokens = np.r_[prompt, np.full(room, -1)]
    done = origin
    with torch.inference_mode():
        while done < len(tokens):
            rows = list(range(done, min(done + AHEAD, len(tokens))))
            request = model_input(tokens, list(range(done, len(tokens))), rows, origin, causal=False)
            forwards = drafting.cost(request)
            tokens[rows] = words(drafting.logits(request))
            request = model_input(tokens, list(range(rows[-1] + 1, len(tokens))), rows, origin, causal=True)
            forwards += drafting.cost(request)
            verified = words(drafting.logits(request))
            agree = int(np.argmin(np.r_[tokens[rows] == verified, False]))
            done = min(done + agree + 1, rows[-1] + 1)
            tokens[rows] = verified
            tokens[done:] = -1
            yield forwards, tokens


def words(logits: Floats) -> Ints:
    logits = logits.copy()
    logits[:, MASK] = -1e9
    return logits.argmax(-1)


@pytest.mark.parametrize("likeliest", [0, 1, 3, AHEAD])
@pytest.mark.parametrize("seed", range(4))
def test_the_text_is_the_autoregressive_one(network: GraphNetwork, seed: int, likeliest: int) -> None:
    prompt = np.random.default_rng(seed).integers(2, 24, 4).tolist()
    took = list(rounds(Drafting(network, SEPARATOR, MASK, likeliest), prompt, 30))
    assert took[-1][1][4:].tolist() == greedy(network, prompt, 30)


def test_a_round_costs_one_forward_where_every_way_to_go_on_was_drafted(network: GraphNetwork) -> None:
    prompt = [3, 4, 5]
    every = [forwards for forwards, _ in rounds(Drafting(network, SEPARATOR, MASK, AHEAD), prompt, 30)]
    assert every[0] == 2 and set(every[1:]) == {1}
    none = [forwards for forwards, _ in rounds(Drafting(network, SEPARATOR, MASK, 0), prompt, 30)]
    assert set(none) == {2} and len(none) == len(every)


def test_what_was_drafted_on_the_way_equals_what_is_drafted_anew(network: GraphNetwork) -> None:
    prompt = [7, 8, 9]
    kept, fresh = Drafting(network, SEPARATOR, MASK, AHEAD), Drafting(network, SEPARATOR, MASK, 0)
    for _ in rounds(kept, prompt, 20):
        pass
    compared = 0
    with torch.inference_mode():
        for block, logits in kept.drafts.items():
            _, (anew,) = fresh._read(block.after, 1, [block])
            assert np.allclose(logits, anew, atol=1e-4)
            compared += 1
    assert compared > 5


def test_pins_behind_a_draft_are_seen_and_stay(network: GraphNetwork) -> None:
    """A pinned cell is no row; it is read as it is, by the draft and by what comes behind it."""
    tokens = np.array([3, 4, 5, -1, -1, 9, -1, -1])
    with torch.inference_mode():
        drafting = Drafting(network, SEPARATOR, MASK)
        drafted = words(drafting.logits(model_input(tokens, [3, 4, 6, 7], [3, 4, 6, 7], 3, causal=False)))
        tokens[[3, 4, 6, 7]] = drafted
        answer = drafting.logits(model_input(tokens, [], [3, 4, 6, 7], 3, causal=True))
        plain = network.logits(torch.tensor([[SEPARATOR, *tokens[:-1]]]), torch.arange(len(tokens)))[0]
    assert np.allclose(answer, plain[[3, 4, 6, 7]], atol=1e-4)
