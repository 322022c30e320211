"""Invented names: nobody's in the worlds, the same throughout a text, and none that is kept for examination."""

import re
from random import Random

from pair.train.names import (
    BOYS,
    CHILD,
    GIRLS,
    HE_FRIENDS,
    PERSON,
    SHE_FRIENDS,
    among_friends,
    befriended,
    invented,
    renamed,
)
from pair.train.tokenizer import load_tokenizer
from unmask.pair.worlds import document, strict
from unmask.pair.worlds.words import NAMED, NEW_CHILDREN
from unmask.paths import ASSETS


def test_an_invented_name_is_nobodys() -> None:
    rng = Random(0)
    names = {invented(rng) for _ in range(3000)}
    assert len(names) > 1500 and not names & {*NAMED, *NEW_CHILDREN}
    assert all(name.isalpha() and name.istitle() for name in names)


def test_invented_names_hold_the_pieces_that_other_names_are_spelled_with() -> None:
    spell = load_tokenizer(ASSETS / "models/tokenizer.json").encode
    rng = Random(2)
    met = {piece for _ in range(8000) for piece in spell(f" {invented(rng)}").ids}
    wanted = [piece for name in NEW_CHILDREN for piece in spell(f" {name}").ids]
    assert len(wanted) > 50 and sum(piece in met for piece in wanted) > 0.95 * len(wanted)


def test_only_children_that_the_prompt_names_get_another_name() -> None:
    """A name that a text thinks of is one of its world: an invented one is learned to be copied."""
    story = "Story: Lily met Tom. Then Mia came."
    text, prompt = renamed(story, "Story: Lily met Tom.", Random(3))
    assert text.startswith(prompt) and text.endswith("Then Mia came.") and not {"Lily", "Tom"} & {*CHILD.findall(text)}


def test_a_text_keeps_everything_but_its_names() -> None:
    rng, met = Random(1), 0
    for seed in range(200):
        made = document(seed, "train", "story")
        text, prompt = renamed(made.text, made.prompt, rng)
        assert text.startswith(prompt) and not {*CHILD.findall(made.prompt)} & {*CHILD.findall(text)}
        new = CHILD.split(made.text)[::2]
        assert all(part in text for part in new)
        met += text != made.text
        # as many people as before, each as often as before
        found = [word for word in text.replace("'", " ").split() if word.strip('.,!?":').isalpha()]
        assert len(found) == len([w for w in made.text.replace("'", " ").split() if w.strip('.,!?":').isalpha()])
    assert met > 100


def test_those_whom_nobody_asked_for_have_the_names_of_friends_and_the_text_stays_true() -> None:
    rng, changed = Random(4), 0
    friends = {*GIRLS, *BOYS, *SHE_FRIENDS, *HE_FRIENDS}
    for shape in ("story", "chat", "dialogue", "letter"):
        for seed in range(120):
            made = document(seed, "train", shape)
            text, prompt = befriended(made.text, made.prompt, rng)
            assert text.startswith(prompt) and strict(prompt, text).strict
            new = {*PERSON.findall(text)} - {*PERSON.findall(made.text)}
            changed += bool(new)
            assert new <= friends
    assert changed > 150


def test_somebody_who_was_asked_for_keeps_their_name_however_it_was_written() -> None:
    talk = "User: about omar and a dog\nAssistant: Omar met Yuki. Dog ran.\nUser: who is yuki\nAssistant: A friend."
    assert befriended(talk, talk[:40], Random(0))[0] == talk
    text, _ = befriended("Story: Lily met Tom.", "Story: Lily", Random(0))
    assert re.fullmatch(rf"Story: Lily met ({'|'.join(BOYS)})\.", text)


def test_a_friend_who_is_there_already_is_nobody_elses_name() -> None:
    for seed in range(50):
        text, _ = befriended("Story: Nora met Tom, Anna and Rosa.", "Story: Nora", Random(seed))
        persons = PERSON.findall(text)
        assert len({*persons}) == 4 and persons[0] == "Nora"


def test_two_friends_of_one_text_are_never_likely_to_be_one() -> None:
    found = [PERSON.findall(befriended("Story: Lily met Anna.", "Story:", Random(seed))[0]) for seed in range(80)]
    first, second = ({names[at] for names in found} for at in (0, 1))
    assert first == {*GIRLS[:3]} and second == {*GIRLS[3:]}


def test_where_the_likeliest_friend_is_there_already_another_of_the_usual_ones_comes() -> None:
    texts = [befriended("Story: Flora met Anna.", "Story: Flora", Random(seed))[0] for seed in range(80)]
    assert {PERSON.findall(text)[1] for text in texts} == {*GIRLS[4:]}


def test_a_prompt_may_name_a_friend_and_the_text_stays_true() -> None:
    rng, changed = Random(7), 0
    for seed in range(200):
        made = document(seed, "train", "story")
        text, prompt = among_friends(made.text, made.prompt, rng)
        assert text.startswith(prompt) and strict(prompt, text).strict
        if text != made.text:
            changed += 1
            assert PERSON.findall(prompt)[0] in {*GIRLS, *BOYS, *SHE_FRIENDS, *HE_FRIENDS}
    assert changed > 120
