"""Beat the schedule: the score of a way of choosing is what counting gives, whatever was drawn."""

import numpy as np
import pytest

from unmask.errors import InvalidRequest
from unmask.inference.schedule_game import best, play_game
from unmask.models import load
from unmask.models.oracle import Oracle


def oracle(name: str = "permutations") -> Oracle:
    found = load(name)
    assert isinstance(found, Oracle)
    return found


@pytest.mark.parametrize(
    "turns, score",
    [
        ([[0, 1, 2, 3]], 3 / 32),
        ([[0, 1, 2], [3]], 0.375),
        ([[2], [0, 1, 3]], 2 / 9),
        ([[0], [1], [2], [3]], 1.0),
    ],
)
def test_a_schedule_scores_what_it_is_worth(turns: list[list[int]], score: float) -> None:
    """Also where the words that were drawn do not fit: the score is of the choice."""
    games = [play_game(oracle(), seed, turns) for seed in range(40)]
    assert {round(game.score, 9) for game in games} == {round(score, 9)}
    assert score == 1 or not all(game.right for game in games)
    share = np.mean([play_game(oracle(), seed, turns).right for seed in range(400)])
    assert share == pytest.approx(score, abs=4 * np.sqrt(score * (1 - score) / 400) + 1e-9)


def test_the_best_schedules_are_known_and_nobody_beats_them() -> None:
    assert best(oracle()) == pytest.approx([3 / 32, 0.375, 0.75, 1.0], abs=1e-6)
    assert best(oracle("sudoku4")) is None


@pytest.mark.parametrize("name, turns", [("balanced", [[0, 3], [5, 1], [2, 4]]), ("smallsums", [[4, 5], [0, 2]])])
def test_a_schedule_of_another_world_scores_as_often_as_it_ends_right(name: str, turns: list[list[int]]) -> None:
    world, chosen = oracle(name), {cell for turn in turns for cell in turn}
    turns = [*turns, [cell for cell in range(world.texts.shape[1]) if cell not in chosen]]
    share = np.mean([play_game(world, seed, turns).right for seed in range(400)])
    score = play_game(world, 0, turns).score
    assert 0 < score < 1
    assert share == pytest.approx(score, abs=4 * np.sqrt(score * (1 - score) / 400))


def test_the_same_choices_draw_the_same_words() -> None:
    one, two = (play_game(oracle("sudoku4"), 5, [[0, 1], [7]]).to_dict() for _ in range(2))
    assert one == two and sum(cell["word"] is not None for cell in one["cells"]) == 3


@pytest.mark.parametrize("turns", [[[]], [[9]], [[0], [0]], [[-1]]])
def test_a_choice_that_cannot_be_is_a_sentence(turns: list[list[int]]) -> None:
    with pytest.raises(InvalidRequest, match=r"choose|a choice names open cells"):
        play_game(oracle(), 0, turns)
