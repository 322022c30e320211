"""The judge accepts what is true in its world, catches every kind of planted error, and never falls over."""

import json
import random
import re
import time

import pytest

from unmask.pair.worlds import SHAPES, check, consistency, distinct, document, repetition, strict
from unmask.pair.worlds.words import ANIMALS, BOYS, COLOURS, GIRLS, PLACES, THINGS

STORY = (
    "Story: Lily had a red kite. One day she took the kite to the park. Tom found the kite under the bench. "
    "Lily laughed out loud and hugged Tom twice. At the park Lily picked seven plums. "
    "Lily gave three of them to Tom. There were four plums left. A dog barked, and the dog ran off. The red kite flew."
)


def broken(text: str) -> set[str]:
    return {fact.what for fact in check(text) if not fact.holds}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("split", ["train", "held"])
def test_what_the_worlds_tell_is_accepted(shape: str, split: str) -> None:
    for seed in range(60):
        made = document(seed, split, shape)
        verdict = strict(made.prompt, made.text)
        assert verdict.strict, (made.text, verdict)
        assert check(made.text) == list(verdict.facts)


@pytest.mark.parametrize(
    ("right", "wrong", "what"),
    [
        ("hugged Tom", "hugged Ben", "name"),
        ("day she took", "day he took", None),  # Tom is here too, so a lone he is somebody
        ("Lily had a red kite", "Lily had his red kite", "pronoun"),
        ("The red kite flew", "The blue kite flew", "colour"),
        ("found the kite", "found the drum", "thing"),
        ("At the park", "At the pond", "place"),
        ("and the dog", "and the cat", "animal"),
        ("There were four", "There were five", "arithmetic"),
        ("four plums left", "four pears left", "food"),
        ("The red kite flew.", "The red kite", "ending"),
    ],
)
def test_a_planted_error_in_a_story_is_caught(right: str, wrong: str, what: str | None) -> None:
    assert broken(STORY) == set()
    assert right in STORY
    assert broken(STORY.replace(right, wrong)) == ({what} if what else set())


def test_a_thing_has_one_owner() -> None:
    trade = "Story: Lily had a red kite, and Tom had a drum. Lily gave the kite to Tom. Now the kite belonged to Tom."
    assert broken(trade) == set()
    assert "owner" in broken(trade.replace("belonged to Tom", "belonged to Lily"))
    assert "owner" in broken(trade.replace("Lily gave the kite to Tom", "Tom gave the kite to Lily"))


PLANTED = {
    "dialogue": [
        ("turns", "Mia: Have you seen my red kite?\nMia: No.\nMia: Oh."),
        ("colour", "Mia: Have you seen my red kite?\nTom: The blue kite?\nMia: Yes."),
        ("name", "Mia: Hello, Mia.\nTom: Hello.\nMia: Oh."),
        ("day", "Mia: Come on Monday.\nTom: On Tuesday?\nMia: Yes."),
        ("hour", "Mia: At two o'clock.\nTom: At four o'clock?\nMia: Yes."),
        ("bill", "Mia: Hello!\nTom: One plum is two coins.\nMia: Three plums.\nTom: That is five coins."),
        ("thing", "Mia: I lost my kite.\nTom: Your drum?\nMia: Yes."),
    ]
}


@pytest.mark.parametrize(("what", "lines"), PLANTED["dialogue"])
def test_a_planted_error_in_a_dialogue_is_caught(what: str, lines: str) -> None:
    assert what in broken(f"Dialogue: Mia and Tom\n{lines}")


SOUND = {
    "letter": (
        "Letter: Tom writes to Mum\nDear Mum,\nOn Monday I picked nine figs at the farm. I gave three of them to Ben. "
        "At the farm Ben laughed. Now there are six figs left.\nLove,\nTom"
    ),
    "recipe": (
        "Recipe: fig cake for five\nYou need: 3 cups of flour, 2 cups of milk, 4 eggs, 2 spoons of sugar and 6 figs.\n"
        "1. Mix 3 cups of flour with 2 cups of milk.\n2. Beat 4 eggs and add them.\n3. Stir in 2 spoons of sugar.\n"
        "4. Add 6 figs.\n5. Bake the cake for 20 minutes.\n6. Share the cake with five people."
    ),
    "record": (
        "Text: Tom is 9 years old and lives in Ashby. He has a cat and likes figs.\n"
        'JSON: {"name": "Tom", "age": 9, "town": "Ashby", "pet": "cat", "likes": "figs"}'
    ),
    "function": (
        'Code: Add three to n.\ndef add_three(n):\n    """Add three to n.\n\n    >>> add_three(4)\n    7\n    """\n'
        "    return n + 3"
    ),
}
SPOILED = [
    ("letter", "reader", "Dear Mum", "Dear Dad"),
    ("letter", "writer", "Love,\nTom", "Love,\nMum"),
    ("letter", "closing", "Love,", "Love"),
    ("letter", "place", "At the farm", "At the mill"),
    ("letter", "arithmetic", "six figs left", "five figs left"),
    ("recipe", "amount", "Mix 3 cups", "Mix 4 cups"),
    ("recipe", "used", "Stir in 2 spoons of sugar", "Stir well"),
    ("recipe", "listed", "Beat 4 eggs", "Beat 4 onions"),
    ("recipe", "title", "fig cake", "plum cake"),
    ("recipe", "guests", "with five people", "with six people"),
    ("recipe", "numbering", "2. Beat", "3. Beat"),
    ("recipe", "dish", "Bake the cake", "Bake the bread"),
    ("record", "json", '"}', '"'),
    ("record", "field", '"age": 9', '"age": 8'),
    ("record", "field", '"name": "Tom"', '"name": "Ben"'),
    ("record", "field", '"pet": "cat"', '"pet": "dog"'),
    ("record", "field", '"town"', '"city"'),
    ("function", "doctest", "    7\n", "    8\n"),
    ("function", "doctest", "return n + 3", "return n - 3"),
    ("function", "doctest", "return n + 3", "return n ** 99999999"),
    ("function", "doctest", "return n + 3", "return __import__('os').system('true')"),
    ("function", "docstring", '"""Add three', '"""Add four'),
    ("function", "name", ">>> add_three", ">>> add_four"),
    ("function", "syntax", "def add", "df add"),
    ("function", "examples", ">>> ", ""),
]


@pytest.mark.parametrize(("shape", "what", "right", "wrong"), SPOILED)
def test_a_planted_error_is_caught(shape: str, what: str, right: str, wrong: str) -> None:
    assert broken(SOUND[shape]) == set()
    assert what in broken(SOUND[shape].replace(right, wrong))


def test_planted_errors_in_puzzles_are_caught() -> None:
    assert broken("Sort: 31 12 20\nSorted: 12 20 31") == set()
    assert broken("Sort: 31 12 20\nSorted: 12 31 20") == {"order"}
    assert broken("Sort: 31 12 20\nSorted: 12 20 30") == {"same"}
    assert broken("Sum: 47 + 38\n40 + 30 = 70\n7 + 8 = 15\n70 + 15 = 85\nAnswer: 85") == set()
    assert broken("Sum: 47 + 38\n40 + 30 = 70\n7 + 8 = 14\n70 + 15 = 85\nAnswer: 85") == {"working"}
    assert broken("Sum: 47 + 38\nAnswer: 75") == {"sum"}
    assert broken("Sum: 47 figs + 38 figs\nAnswer: 85 plums") == {"unit"}
    solved = "Sudoku:\n1 _ _ 4\n_ _ _ _\n_ _ _ _\n_ _ _ _\nSolved:\n1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 1"
    assert broken(solved) == set()
    assert broken(solved.replace("4 3 2 1", "4 3 1 2")) == {"solved"}
    assert broken(solved.replace("1 _ _ 4", "2 _ _ 4")) == {"givens"}


def test_steps_use_what_they_ask_for() -> None:
    text = document(3, shape="steps").text
    assert "numbering" in broken(text.replace("\n2. ", "\n4. "))
    assert "used" in broken(re.sub(r"You need: (.*)\.", r"You need: \1 and a trumpet.", text))


def test_required_words_must_appear() -> None:
    assert broken("Words: kite, rain\nTale: A kite flew in the rain.") == set()
    assert broken("Words: kite, rain\nTale: A kite flew in the sun.") == {"word"}


def test_swapping_any_word_of_a_kind_lowers_consistency() -> None:
    """Random damage to documents is noticed far more often than not."""
    rng = random.Random(5)
    kinds = [GIRLS + BOYS, COLOURS, ANIMALS, PLACES, THINGS]
    noticed = tried = 0
    for seed in range(100):
        text = document(seed, "held", "story").text
        found = [(at, kind) for kind in kinds for at in re.finditer(r"\b\w+\b", text) if at[0] in kind]
        found = [(at, kind) for at, kind in found if len(re.findall(rf"\b{at[0]}\b", text)) > 1]
        if found:
            at, kind = rng.choice(found)
            other = rng.choice([word for word in kind if word != at[0]])
            tried += 1
            noticed += bool(broken(text[: at.start()] + other + text[at.end() :]))
    assert noticed / tried > 0.8


@pytest.mark.parametrize("seed", range(20))
def test_garbage_is_judged_without_falling_over(seed: int) -> None:
    rng = random.Random(seed)
    for shape in SHAPES:
        text = document(seed, shape=shape).text
        letters = list(text)
        for _ in range(rng.randint(1, 60)):
            letters[rng.randrange(len(letters))] = rng.choice('"{}[]():,.\n 09aT\x00\U0001f600\\_')
        check("".join(letters))
        check(text[: rng.randrange(len(text))])
    check("Text: " + "[" * 5000 + "\nJSON: " + "[" * 5000)
    check("Code: x\n" + "(" * 3000)
    check("Sort: ²\nSorted: ²")
    check("Sudoku:" + "_" * 9000)


def test_consistency_is_a_share() -> None:
    assert consistency([]) == 1.0
    assert consistency(["no shape at all"]) == 1.0
    assert consistency(["Sort: 31 12 20\nSorted: 12 31 20"]) == pytest.approx(2 / 3)


def test_sameness_is_measured() -> None:
    assert distinct(["a b c d", "a b c d"]) == 0.5
    assert distinct([]) == 1.0
    assert repetition("a b c a b c a b c") > 0.5
    assert repetition("every word here is new") == 0.0


REQUESTS = {
    shape: document(1_000_000 + at, "held", shape)
    for at, shape in enumerate(
        ("story", "dialogue", "letter", "recipe", "steps", "record", "code", "sum", "sort", "chat")
    )
}
FOOLING = {
    "the prompt ten times": lambda prompt: prompt * 10,
    "yes": lambda prompt: prompt + "Yes. Yes. Yes.",
    "hello": lambda prompt: prompt + "Hello.",
    "nothing": lambda prompt: prompt,
    "blanks": lambda prompt: prompt + "   \n\n",
    "an empty record": lambda prompt: prompt + " {}",
    "a full stop": lambda prompt: prompt + " .",
    "another prompt": lambda prompt: "Story: " + prompt,
}


@pytest.mark.parametrize("how", FOOLING)
@pytest.mark.parametrize("shape", REQUESTS)
def test_a_text_made_to_fool_the_judge_is_never_strict(shape: str, how: str) -> None:
    prompt = REQUESTS[shape].prompt
    assert not strict(prompt, FOOLING[how](prompt)).strict


def planted(shape: str, request: str = "") -> tuple[str, str]:
    """The prompt and the text of a document in which something can be planted."""
    made = next(d for seed in range(10_000) if request in (d := document(seed, shape=shape)).text)
    assert strict(made.prompt, made.text).strict
    return made.prompt, made.text


def test_two_of_five_fields_are_not_a_record() -> None:
    prompt, text = planted("record")
    fields = json.loads(text[len(prompt) :])
    assert len(fields) == 5
    some = dict(list(fields.items())[:2])
    assert not strict(prompt, f"{prompt} {json.dumps(some)}").strict
    assert not strict(prompt, f"{prompt} {json.dumps(fields | {'mood': 'good'})}").strict
    numbers = {name: str(value) for name, value in fields.items()}
    if numbers != fields:
        assert not strict(prompt, f"{prompt} {json.dumps(numbers)}").strict


@pytest.mark.parametrize("seed", range(20))
def test_a_function_does_what_was_asked_and_not_just_anything(seed: int) -> None:
    made = document(seed, shape="code")
    head, _, last = made.text.rpartition("\n")
    assert not strict(made.prompt, f"{head}\n    return n").strict
    assert not strict(made.prompt, f"{head}\n    return numbers").strict
    name = made.text.partition("(")[0].split()[-1]
    anything = f'{made.prompt}def {name}(n):\n    """{made.prompt[6:].strip()}\n\n    >>> {name}(2)\n    2\n    """\n'
    assert not strict(made.prompt, f"{anything}    return n").strict
    assert last.startswith("    return")


def test_nobody_acts_on_themselves() -> None:
    text = (
        "Story: Clara had a red kite. One day she played with it at the park until supper. But when she came home, the "
        'kite was gone. Clara looked everywhere and felt like crying. "I will help you look," said Tom. So Clara and '
        'Tom went back to the park. There it was, under the bench! "You are a good friend," said Clara to Tom.'
    )
    assert strict("Story:", text).strict, strict("Story:", text)
    for wrong in (
        text.replace("said Clara to Tom", "said Clara to Clara"),
        text.replace("Clara and Tom", "Clara and Clara"),
        text.replace("said Clara to Tom", "said Tom to Clara"),
        text.replace("So Clara and Tom", "So Clara and Ben"),
        text.replace("she came", "he came"),
        text.replace("kite was gone", "drum was gone"),
        text.replace("under the bench", "under bench"),
        text.replace("a red kite", "an red kite"),
        text.replace("looked everywhere", "looked looked everywhere"),
        text.replace("There it was", "there it was"),
        text.replace("So Clara", "me. So Clara"),
        text.rpartition(' "You')[0],
        text.replace('"I will help you look," said Tom. ', ""),
        text + " So Clara and Tom went back to the park.",
        text + " Clara baked six buns.",
    ):
        assert wrong != text
        assert not strict("Story:", wrong).strict, wrong


def test_what_is_left_is_reckoned_in_every_story() -> None:
    prompt, text = planted("story", "in all.")
    for word in ("seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen"):
        if wrong := re.sub(rf"\b{word}\b(?=[^.]* in all)", "nineteen", text):
            assert wrong == text or not strict(prompt, wrong).strict


@pytest.mark.parametrize(
    "answer",
    [
        "40 + 30 = 70\n7 + 8 = 15\nAnswer: 85 figs",
        "40 + 30 = 70\n7 + 8 = 15\n70 + 15 = 85\n70 + 15 = 85\nAnswer: 85 figs",
        "40 + 30 = 70\n7 + 8 = 15\n70 + 15 = 85\n+ = 85\nAnswer: 85 figs",
        "40 + 30 = 70\n8 + 8 = 16\n70 + 15 = 85\nAnswer: 85 figs",
        "40 + 30 = 70\n7 + 8 = 15\n70 + 15 = 85\nAnswer: 85 plums",
        "1 + 1 = 2\n1 + 1 = 2\n1 + 1 = 2\nAnswer: 85 figs",
        "Answer: 85 figs",
    ],
)
def test_every_line_of_a_sum_is_needed_and_no_other(answer: str) -> None:
    prompt = "Sum: 47 figs + 38 figs\n"
    assert strict(prompt, f"{prompt}40 + 30 = 70\n7 + 8 = 15\n70 + 15 = 85\nAnswer: 85 figs").strict
    assert strict(prompt, f"{prompt}7 + 8 = 15\nAnswer: 85 figs\n70 + 15 = 85\n40 + 30 = 70").strict
    assert not strict(prompt, prompt + answer).strict


def test_a_story_may_go_on_from_somebody_s_own_sentence() -> None:
    own = "Story: Zelda had no shoes. "
    rest = (
        'One day a dog followed Tom home from the park. "Go home, little dog," said Tom, but it did not. At the door '
        "the dog sat down and waited. Then Mia came by, calling and looking left and right. "
        '"I have lost my dog," said Mia. The dog jumped up and ran to Mia.'
    )
    end = " Now Tom and Mia take the dog to the park every Monday."
    assert strict(own, own + rest + end).strict
    assert strict(own, own + rest).reasons == ("it ends before its end",)
    assert not strict("Story:", own + rest + end).strict  # here the sentence is the model's, and no world says it
    assert "left out" in str(
        strict(own, own + rest.replace("At the door the dog sat down and waited. ", "") + end).reasons
    )


def test_the_judge_keeps_up_with_training() -> None:
    made = [document(seed) for seed in range(400)]
    strict(made[0].prompt, made[0].text)
    begun = time.process_time()
    for one in made:
        strict(one.prompt, one.text)
    assert len(made) / (time.process_time() - begun) > 150  # 1500 where nothing else runs
