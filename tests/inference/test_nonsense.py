"""A text that makes little sense is told, early enough to stop it; a good one is not, nor one of other weights."""

from itertools import pairwise

from unmask.inference.decode import decode
from unmask.inference.nonsense import (
    NOTE,
    WINDOW,
    is_nonsense_so_far,
    is_too_surprising,
    nonsense_note,
    settled_tokens,
    text_surprise,
)
from unmask.models import load
from unmask.models.toy import Toy
from unmask.run.spec import RunSpec

DRAGON = "Story: A dragon lost his hat."
SENSELESS = (
    " One day A string took it to the farm. A string took the hat and dropped it in a tree. A string turned the hat "
    'and nothing nothing. "We must go home," said A string. They ran to an old hut and shut the door behind them.'
)
KITE = "Story: Lily had a red kite."
GOOD = (
    " One day the farm was full of people. Someone bumped into Lily, and the kite slipped away. "
    '"My kite!" cried Lily, and her voice shook. At home Lily told Grandpa everything.'
)


def test_a_text_that_stood_without_a_remark_is_told_with_a_prompt_that_works() -> None:
    """ "A string took it… A Noenenenen laughed" was written in large letters, and nothing was said of it."""
    denoiser = load("denoiser")
    state = RunSpec(DRAGON, length=144).start(denoiser.card, denoiser.tokenizer)
    assert nonsense_note(denoiser, state, SENSELESS) == f"{NOTE} A prompt that works better: Story: Tom had a red hat."
    for model, prompt, text, found in (
        (denoiser, DRAGON, SENSELESS[: 3 * len(SENSELESS) // 4], True),  # before it ends
        (load("twin"), DRAGON, SENSELESS, True),
        (denoiser, KITE, GOOD, False),
    ):
        assert is_too_surprising(model.card, text_surprise(model, prompt, text)) is found


def test_a_draft_that_is_still_to_be_read_says_nothing() -> None:
    """A good story was said to make little sense while its draft had not been read: "ButYes he wind bring it back"."""
    denoiser = load("denoiser")
    spec = RunSpec("Story: Tom had a red hat.", length=144)
    states = [state for state, _ in decode(denoiser, spec.start(denoiser.card, denoiser.tokenizer))]
    texts = [denoiser.tokenizer.decode(settled_tokens(denoiser.card, state)) for state in states]
    assert all(later.startswith(text) for text, later in pairwise(texts)) and texts[-1].endswith("to Matteo.")
    assert not any(is_nonsense_so_far(denoiser, state) for state in states[::4])


def test_too_little_text_says_nothing() -> None:
    denoiser = load("denoiser")
    few = denoiser.tokenizer.decode(denoiser.tokenizer.encode(SENSELESS)[: WINDOW // 2])
    assert text_surprise(denoiser, DRAGON, few) == text_surprise(denoiser, DRAGON, "") == 0.0


def test_nothing_is_said_where_nothing_was_measured() -> None:
    denoiser, toy = load("denoiser"), Toy()
    assert not is_too_surprising(toy.card, text_surprise(toy, "1 2 3", " 4" * 60))
    rule = {"constraint": {"kind": "contains", "text": "hat"}}
    drawn = {"temperature": 0.7}  # a word that was drawn may be a surprise and make sense
    specs = [RunSpec(DRAGON, length=144, changes=changes) for changes in (rule, drawn)]
    other = RunSpec(DRAGON, length=144, preset="fast-dllm")  # of its good texts every third surprises the twin
    for spec in (*specs, other, RunSpec(f"{DRAGON} [MASK:40] She laughed.")):
        assert nonsense_note(denoiser, spec.start(denoiser.card, denoiser.tokenizer), SENSELESS) == ""
