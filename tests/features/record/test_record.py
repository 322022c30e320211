"""Loops of other people are recorded as they ran: what they wrote, how probable it was, how many forwards it took."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import unmask
from tests.features.record import samplers
from tests.features.record.samplers import MASK, Tiny
from unmask.run import trace as traces
from unmask.run.timeline import Timeline

PROMPT = torch.tensor([[3, 1, 4, 1, 5]])


class Letters:
    """A tokenizer that can only decode."""

    def decode(self, ids: list[int]) -> str:
        return "".join(f" w{token}" for token in ids)


class Watched:
    """Keeps what every forward was given and returned, to compare with."""

    def __init__(self, model: Tiny) -> None:
        self.fed: list[Any] = []
        self.logits: list[Any] = []
        self.handle = model.register_forward_hook(self.keep)

    def keep(self, model: Any, args: Any, output: Any) -> None:
        self.fed.append(args[0].clone())
        self.logits.append(output.logits.detach().clone())


def passes(run: Timeline) -> list[Any]:
    return [node.frame for node in run.head.path() if node.frame is not None]


def recorded(
    model: Tiny, loop: Callable[[], Any], finish: bool = False, **options: Any
) -> tuple[Any, Any, Watched, int]:
    """A loop's result, its recording, what its model did, and the forwards that it took."""
    torch.manual_seed(7)
    with torch.no_grad():
        plain = loop()
    watched, model.forwards = Watched(model), 0
    torch.manual_seed(7)
    with torch.no_grad(), unmask.record(model, Letters(), **{"mask": MASK} | options) as run:
        out = loop()
    watched.handle.remove()
    assert torch.equal(out, plain), "recording has changed what the loop computes"
    if finish:
        run.finish(out)
    assert not run.stopped, run.notes
    return out, run, watched, model.forwards


def check(out: Any, run: Any, forwards: int, row: int = 0) -> list[Any]:
    """The laws of every recording; returns its passes."""
    timeline: Timeline = run.timelines[row]
    assert timeline.head.canvas.tokens.tolist() == out[row].tolist()
    frames = passes(timeline)
    assert sum(frame.cost for frame in frames) == forwards
    assert all(len(frame.cells) or len(frame.erased) for frame in frames[:-1])
    assert timeline.head.canvas.prompt[: PROMPT.shape[1]].all() and not timeline.head.canvas.open.any()
    return frames


def agree(
    frames: list[Any], logits: list[Any], row: int = 0, shift: int = 0, begin: Callable[[int], int] = lambda n: 0
) -> None:
    """The confidence of every write is the softmax of what the forward of that number returned."""
    checked = 0
    for number, frame in enumerate(frames):
        shares = logits[number][row].double().softmax(-1)
        for cell, token, sure in zip(frame.cells, frame.tokens, frame.confidence, strict=True):
            assert sure == pytest.approx(float(shares[cell - shift - begin(number), token]), abs=1e-5)
            checked += 1
            if not shift and not begin(number):
                top = shares[cell].topk(5).indices.tolist()
                assert frame.top_ids[cell].tolist() == top
    assert checked


def test_llada() -> None:
    model = Tiny()
    out, run, watched, forwards = recorded(model, lambda: samplers.llada(model, PROMPT, 16, 8, 8))
    frames = check(out, run, forwards)
    assert len(frames) == 8 == forwards and not run.notes
    agree(frames, watched.logits)
    assert run.text == Letters().decode(out[0, 5:].tolist())


def test_llada_with_guidance_is_one_pass_for_each_call_and_shows_the_conditional_row() -> None:
    model = Tiny()
    out, run, watched, forwards = recorded(
        model, lambda: samplers.llada(model, PROMPT, 16, 8, 8, scale=0.5), finish=True
    )
    frames = check(out, run, forwards)
    assert len(frames) == 8 and len(run.timelines) == 1
    agree(frames, watched.logits)


def test_rows_of_a_batch_are_runs_of_their_own() -> None:
    model, both = Tiny(), torch.tensor([[3, 1, 4, 1, 5], [2, 7, 1, 8, 2]])
    out, run, watched, forwards = recorded(model, lambda: samplers.llada(model, both, 12, 6, 12))
    for row in (0, 1):
        agree(check(out, run, forwards, row), watched.logits, row)
    assert run.timelines[1].about["prompt"] == " w2 w7 w1 w8 w2"


def test_dream_s_shift_is_found() -> None:
    model = Tiny(seed=3)
    out, run, watched, forwards = recorded(model, lambda: samplers.dream(model, PROMPT, 16, 8), finish=True)
    agree(check(out, run, forwards), watched.logits, shift=1)
    assert "not seen" in run.notes[0]  # before it was given: each canvas was a new one


@pytest.mark.parametrize("shift", [None, False])
def test_a_model_that_is_not_shifted_is_left_alone(shift: bool | None) -> None:
    model = Tiny(seed=4)
    out, run, watched, forwards = recorded(model, lambda: samplers.llada(model, PROMPT, 16, 16, 16), shift=shift)
    agree(check(out, run, forwards), watched.logits)


def test_fast_dllm_s_dual_cache() -> None:
    model = Tiny(seed=1)
    out, run, watched, forwards = recorded(model, lambda: samplers.dual_cache(model, PROMPT, 24, 8, 0.7))
    frames = check(out, run, forwards)
    assert len(frames) == forwards > 3 and not run.notes
    starts = [0 if fed.shape[1] == out.shape[1] else None for fed in watched.fed]
    block = -1
    begins = []
    for start in starts:
        block += start is not None
        begins.append(0 if start is not None else 5 + 8 * block)
    agree(frames, watched.logits, begin=lambda n: begins[n])


def test_block_diffusion_with_a_growing_cache() -> None:
    model = Tiny(seed=2)
    out, run, watched, forwards = recorded(model, lambda: samplers.growing_blocks(model, PROMPT, 3, 4))
    frames = check(out, run, forwards)
    assert len(frames) == 13 and forwards == 1 + 3 * 5  # twelve writes, and the last block fed once more
    assert frames[0].cost == 2 and [len(frame.cells) for frame in frames] == [1] * 12 + [0]
    for frame, logits in zip(frames[:4], watched.logits[1:], strict=False):
        cell, token = int(frame.cells[0]), int(frame.tokens[0])
        assert frame.confidence[0] == pytest.approx(float(logits[0].softmax(-1)[cell - 5, token]), abs=1e-5)


def test_remdm_masks_again() -> None:
    model = Tiny(seed=5)
    out, run, watched, forwards = recorded(model, lambda: samplers.remdm(model, PROMPT, 20, 12, 0.2), finish=True)
    frames = check(out, run, forwards)
    assert sum(len(frame.erased) for frame in frames) > 3
    agree(frames, watched.logits)


def test_uniform_noise() -> None:
    model = Tiny(seed=6)
    out, run, watched, forwards = recorded(model, lambda: samplers.uniform(model, PROMPT, 16, 10), mask=None, prompt=5)
    frames = passes(run.timelines[0])
    assert run.timelines[0].head.canvas.tokens.tolist() == out[0].tolist()
    assert sum(frame.cost for frame in frames) == forwards == 10
    changed = [(a != b)[0].nonzero()[:, 0].tolist() for a, b in zip(watched.fed, [*watched.fed[1:], out], strict=True)]
    assert [frame.cells.tolist() for frame in frames[:-1]] == [cells for cells in changed if cells][: len(frames) - 1]
    assert not run.timelines[0].head.canvas.open.any() and run.timelines[0].card().noise


def test_the_file_is_a_trace_that_was_recorded_elsewhere(tmp_path: Path) -> None:
    model = Tiny()
    _, run, _, _ = recorded(model, lambda: samplers.llada(model, PROMPT, 16, 8, 8))
    run.save(tmp_path / "mine.trace.jsonl")
    trace = traces.load(tmp_path / "mine.trace.jsonl")
    assert trace.seal is traces.Seal.WHOLE and trace.first.about["source"] == "unmask.record"
    for a, b in zip(passes(trace.first), passes(run.timelines[0]), strict=True):
        assert a.cells.tolist() == b.cells.tolist() and np.array_equal(a.top_ids, b.top_ids)
        assert a.confidence == pytest.approx(b.confidence, abs=1e-5)
    assert trace.first.pieces[3] == " w3" and "<span title=" in run._repr_html_()


def test_a_cached_suffix_is_placed_by_where_it_lies_in_the_canvas() -> None:
    """Fast-dLLM's prefix cache: after a whole forward, what stands behind the cached part is fed as a slice."""
    model = Tiny(seed=8)

    def loop() -> Any:
        x = samplers.canvas(PROMPT, 8)
        past = model(x, use_cache=True).past_key_values
        past = tuple((k[:, :, :5], v[:, :, :5]) for k, v in past)
        for cell in range(5, 13):
            logits = model(x[:, 5:], past_key_values=past).logits
            x[0, cell] = logits[0, cell - 5].argmax()
        return x

    out, run, watched, forwards = recorded(model, loop)
    frames = check(out, run, forwards)
    assert frames[0].cost == 2 and len(frames) == 8
    agree(frames[1:], watched.logits[2:], begin=lambda n: 5)


@pytest.mark.parametrize("by", ["position_ids", "cache_position", "replace_position", "past"])
def test_a_cached_part_of_its_own_memory_is_placed_by_what_the_call_says(by: str) -> None:
    def model(ids: Any, **named: Any) -> Any:
        return torch.nn.functional.one_hot((ids + 1) % 9, 9).float() * 9

    with unmask.record(model, mask=8) as run:
        run.model(torch.tensor([[1, 2, 3, 8, 8, 8]]))
        part = torch.tensor([[8, 4]])
        places = torch.tensor([4, 5])
        flags = torch.zeros(1, 6, dtype=torch.bool)
        flags[:, 4:] = True
        past = ((torch.zeros(1, 1, 4, 2), torch.zeros(1, 1, 4, 2)),)
        named = {"position_ids": places[None], "cache_position": places, "replace_position": flags, "past": past}
        run.model(part, **{by: named[by]})
    assert [(f.cells.tolist(), f.tokens.tolist(), f.cost) for f in passes(run.timelines[0])] == [
        ([5], [4], 1),
        ([], [], 1),
    ]


def test_what_cannot_be_placed_is_refused_in_a_sentence_and_the_loop_goes_on() -> None:
    model = Tiny()
    why = "a call fed 3 of 9 cells, and nothing says which"
    with torch.no_grad(), pytest.warns(UserWarning, match=why), unmask.record(model, mask=MASK) as run:
        model(samplers.canvas(PROMPT, 4))
        model(torch.tensor([[1, 2, 3]]))
        assert model(samplers.canvas(PROMPT, 4)).logits.shape == (1, 9, 40)
    assert run.stopped and len(run.notes) == 1


@pytest.mark.parametrize(
    ("second", "why"),
    [
        ([[9, 9, 9, 9, 9, MASK]], "the prompt has changed"),
        ([[3, 1, 4, 1, 5, MASK]] * 3, "a batch had 1 rows and has 3"),
    ],
)
def test_another_text_is_not_mixed_into_a_recording(second: list[list[int]], why: str) -> None:
    model = Tiny()
    with torch.no_grad(), pytest.warns(UserWarning, match=why), unmask.record(model, mask=MASK) as run:
        model(samplers.canvas(PROMPT, 1))
        model(torch.tensor(second))
    assert run.stopped


def test_an_error_of_the_model_is_the_loop_s_own_and_the_model_is_left_as_it_was() -> None:
    model = Tiny()
    with pytest.raises(IndexError), unmask.record(model, mask=MASK):
        model(torch.tensor([[1000]]))
    assert not model._forward_hooks and not model._forward_pre_hooks


def test_it_works_in_a_generator_whose_steps_run_in_different_threads() -> None:
    model = Tiny()

    def generate() -> Any:
        with torch.no_grad(), unmask.record(model, mask=MASK) as run:
            x = samplers.canvas(PROMPT, 4)
            for cell in range(5, 9):
                with torch.no_grad():
                    x[0, cell] = model(x).logits[0, cell].argmax()
                yield run

    steps = generate()
    runs = []
    for _ in range(5):
        with ThreadPoolExecutor(1) as thread:
            runs.append(thread.submit(next, steps, None).result())
    run = runs[0]
    assert [frame.cells.tolist() for frame in passes(run.timelines[0])] == [[5], [6], [7], [8]]
    assert not run.notes


class Counting:
    """A model of numpy: the word after the one that stands there is likely."""

    def __call__(self, ids: Any) -> dict[str, Any]:
        logits = np.zeros((*ids.shape, 9), np.float32)
        np.put_along_axis(logits, (ids[..., None] + 1) % 9, 5.0, -1)
        return {"logits": logits}


def test_any_object_that_is_called_can_be_recorded() -> None:
    model, x = Counting(), np.array([[1, 2, 8, 8]])
    with unmask.record(model, mask=8) as run:
        for cell in (2, 3):
            x[0, cell] = model(x)["logits"][0, cell].argmax()
    assert type(model) is Counting
    assert [frame.cells.tolist() for frame in passes(run.timelines[0])] == [[2], [3]]
    assert passes(run.timelines[0])[0].confidence[0] == pytest.approx(np.exp(5) / (np.exp(5) + 8), abs=1e-5)


def test_logits_that_the_loop_overwrote_are_not_taken_for_the_model_s() -> None:
    model = Tiny()
    with torch.no_grad(), unmask.record(model, mask=MASK) as run:
        x = samplers.canvas(PROMPT, 2)
        logits = model(x).logits
        least = int(logits[0, 5].argsort()[0])
        x[0, 5] = least if least != MASK else int(logits[0, 5].argsort()[1])
        logits.fill_(0.0)
        model(x)
    assert np.isnan(passes(run.timelines[0])[0].confidence).all()


def test_entropy_is_that_of_what_the_model_returned_also_where_words_are_impossible() -> None:
    logits = torch.tensor([[[0.0, 1.0, 2.0, 3.0, -torch.inf], [0.0, 0.0, 0.0, 0.0, 0.0]]])
    recorder = unmask.Recorder(mask=4)
    recorder.step(torch.tensor([[4, 4]]), logits)
    recorder.finish(torch.tensor([[3, 0]]))
    (frame,) = passes(recorder.timelines[0])
    expected = torch.distributions.Categorical(logits=logits[0]).entropy() * 32
    assert frame.entropy.tolist() == [round(float(x)) for x in expected]


def test_a_recorder_keeps_the_logits_that_a_loop_decided_by_and_its_notes() -> None:
    model, x = Tiny(), samplers.canvas(PROMPT, 3)
    recorder = unmask.Recorder(Letters(), mask=MASK)
    shares = []
    with torch.no_grad():
        for cell in range(5, 8):
            logits = model(x).logits / 0.5  # a temperature
            recorder.step(x, logits, note="from left to right")
            shares.append(logits[0, cell].softmax(-1).max())
            x = x.clone()
            x[0, cell] = logits[0, cell].argmax()
    recorder.finish(x[:, 5:])  # the answer alone
    frames = passes(recorder.timelines[0])
    assert [float(frame.confidence[0]) for frame in frames] == pytest.approx([float(p) for p in shares], abs=1e-5)
    assert frames[1].why == (("from left to right", (6,), ()),)
    assert recorder.text == Letters().decode(x[0, 5:].tolist())


def test_the_callback_of_a_pipeline() -> None:
    """As diffusers calls it: after each step, with what the step left and what it decided by."""
    model, x = Tiny(), samplers.canvas(PROMPT, 3)
    recorder = unmask.Recorder(Letters(), mask=MASK, prompt=5)
    with torch.no_grad():
        for step, cell in enumerate(range(5, 8)):
            logits = model(x).logits
            x[0, cell] = logits[0, cell].argmax()
            assert recorder.callback_on_step_end(None, step, 0, {"canvas": x, "logits": logits}) == {}
    frames = passes(recorder.timelines[0])
    assert [frame.cells.tolist() for frame in frames] == [[5], [6], [7]] and frames[0].top_ids[6, 0] >= 0
    assert not recorder.notes and recorder.timelines[0].head.canvas.tokens.tolist() == x[0].tolist()


def test_a_loop_that_goes_around_the_model_is_told_so() -> None:
    model = Tiny()
    with torch.no_grad(), pytest.warns(UserWarning, match="the model was not called"), unmask.record(model, mask=MASK):
        model.forward(PROMPT)
