"""Things that nobody asked for: usual ones, of which two of one text are never likely to be one."""

from random import Random

from pair.train.names import FIRST, LATER, THING, furnished
from unmask.pair.worlds import document, strict


def test_things_that_nobody_asked_for_are_usual_ones_of_two_lists_and_the_text_stays_true() -> None:
    rng, seen = Random(8), {0: set[str](), 1: set[str]()}
    for seed in range(400):
        made = document(seed, "train", "story")
        text, prompt = furnished(made.text, made.prompt, rng)
        assert text.startswith(prompt) and strict(prompt, text).strict
        things = [*dict.fromkeys(found[1] for found in THING.finditer(text))]
        if text != made.text and not THING.search(prompt):
            for at, thing in enumerate(things[:2]):
                seen[at].add(thing)
    assert {*FIRST} <= seen[0] and {*LATER} <= seen[1] and not seen[0] & {*LATER}
    assert furnished("Story: a jar and a bell.", "Story: a jar", Random(0))[0].startswith("Story: a jar and a ")
    whole = "Story: an oar, and a bell."
    assert furnished(whole, "Story:", Random(0)) == (whole, "Story:")  # another would want another article
