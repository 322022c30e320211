"""Talks: every reply fits its question, a bad one does not, and what is examined is never trained on."""

import pytest

from unmask.pair.worlds import document, strict
from unmask.pair.worlds.chat import KINDS
from unmask.pair.worlds.chat.asking import plain, slip
from unmask.pair.worlds.chat.free import RESERVED, Free, free_prompts, ordinary_questions, sensible
from unmask.pair.worlds.chat.reply import turns
from unmask.pair.worlds.story import Random

STORY = (
    "Fox had a red lantern. One day she took the lantern to the park. But when she came home, the lantern was gone. "
    'Fox looked everywhere and felt like crying. "I will help you look," said Owl. So Fox and Owl went back to the '
    'park. Owl found the lantern under the bench. "You are a true friend," said Fox to Owl.'
)


@pytest.fixture(scope="module")
def talks() -> list:
    return [document(seed, shape="chat") for seed in range(800)]


def test_there_are_talks_of_every_kind(talks: list) -> None:
    assert {made.plot for made in talks} == set(KINDS)
    assert len({made.prompt for made in talks}) > 700


def test_no_talk_asks_what_is_kept_for_examination(talks: list) -> None:
    assert len(RESERVED) == 300
    asks = {plain(ask) for made in talks for ask, _ in turns(made.text)}
    assert not asks & RESERVED


def test_the_lists_are_as_long_as_they_say() -> None:
    kinds = [one.kind for one in free_prompts()]
    assert [kinds.count(kind) for kind in ("greeting", "wish", "question", "ordinary")] == [20, 30, 20, 30]
    assert len({*ordinary_questions("choose"), *ordinary_questions("test")}) == 200


@pytest.mark.parametrize(
    ("ask", "good", "bad"),
    [
        ("Hello!", "Hello! Shall I tell you a story?", "Hello."),
        ("hi there", "I am fine!", "I only know small stories, recipes, lists and puzzles."),
        ("What is the capital of Spain?", "I only know small stories, recipes, lists and puzzles.", "Madrid."),
        ("What is 7 + 5?", "7 + 5 = 12", "7 + 5 = 13"),
        ("take 3 from 10", "10 - 3 = 7", "3 - 10 = 7"),
        ("Sort 9 3 7 5", "3 5 7 9", "3 5 9 7"),
        ("tell me a story about a fox who lost a lantern", STORY, STORY.replace("lantern", "drum")),
        ("tell me a story about a fox who lost a lantern", STORY, STORY.partition(' "I')[0]),
        ("As JSON: On Monday Tom bought 3 figs for 12 coins.",
         '{"name": "Tom", "item": "figs", "count": 3, "coins": 12, "day": "Monday"}',
         '{"name": "Tom", "item": "figs"}'),
    ],
)  # fmt: skip
def test_a_reply_is_held_against_its_question(ask: str, good: str, bad: str) -> None:
    prompt = f"User: {ask}\nAssistant:"
    if ask != "hi there":
        assert strict(prompt, f"{prompt} {good}").strict, strict(prompt, f"{prompt} {good}")
    assert not strict(prompt, f"{prompt} {bad}").strict


def test_a_question_about_a_story_has_the_answer_of_that_story() -> None:
    prompt = f"User: Tell me a story.\nAssistant: {STORY}\nUser: what colour was the lantern\nAssistant:"
    assert strict(prompt, f"{prompt} It was red.").strict
    assert not strict(prompt, f"{prompt} It was blue.").strict
    assert not strict(prompt, f"{prompt} {STORY}").strict


@pytest.mark.parametrize(
    ("kind", "answer", "well"),
    [
        ("greeting", "Hello! Shall I tell you a story?", True),
        ("greeting", "Tom had a kite.", False),
        ("wish", STORY, True),
        ("wish", "Fox had a red lantern.", False),
        ("wish", STORY.replace("Fox", "Bear"), False),
        ("wish", STORY.replace("everywhere and felt", "and everywhere felt"), False),
        ("question", "It was red.", True),
        ("question", "It was blue.", False),
        ("question", STORY, False),
        ("ordinary", "I only know small stories, recipes, lists and puzzles.", True),
        ("ordinary", "The capital is Paris.", False),
        ("ordinary", STORY, False),
        ("ordinary", "", False),
        ("greeting", "Yes. Yes. Yes.", False),
    ],
)
def test_the_written_rules_tell_sense_from_nonsense(kind: str, answer: str, well: bool) -> None:
    needs = {"wish": ("fox", "lantern"), "question": ("red",)}.get(kind, ())
    assert sensible(Free(kind, "User: …\nAssistant:", needs), answer) is well


def test_a_slip_of_the_fingers_leaves_what_is_asked_for() -> None:
    for seed in range(50):
        text = slip("please tell me a story about Tom and his kite", Random(seed))
        assert {"tell", "story", "about"} <= set(text.split())
