"""What the page's examples are called."""

from unmask.ui.examples import WORDS, examples


def test_an_example_is_offered_by_the_words_that_a_person_gets() -> None:
    """*try another* listed titles such as "A gap in the middle", which only say something to those who know."""
    openings = [one.opening for one in examples()]
    assert len({*openings}) == len(openings) == len(WORDS)
    for one in examples():
        begun = one.opening.split(" …")[0].split(" ___")[0]
        assert len(begun) > 12 and one.prompt.startswith(begun) and one.title not in one.opening
        assert ("[MASK" in one.prompt) == ("___" in one.opening) and len(one.opening) < 60
