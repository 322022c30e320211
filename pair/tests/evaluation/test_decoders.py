"""The recorded table of decoders: its intervals are those of the Lab's own code."""

import json

from pair.evaluation.decoders import FILE, with_intervals

MADE = ("low", "high", "behind")


def test_the_intervals_in_the_file_are_those_of_its_texts() -> None:
    """The page made them again by itself, from counts, and so could not say whether two decoders differ."""
    rows = json.loads(FILE.read_text(encoding="utf-8"))["decoders"]
    bare = {name: {key: value for key, value in row.items() if key not in MADE} for name, row in rows.items()}
    assert with_intervals(bare) == rows
    for row in rows.values():
        assert row["each"].count("1") == row["right"] and len(row["each"]) == row["prompts"]
        assert row["low"] <= row["right"] / row["prompts"] <= row["high"]
    (best,) = (row for row in rows.values() if "behind" not in row)
    assert best["right"] == max(row["right"] for row in rows.values())


def test_a_difference_is_on_the_prompts_of_both() -> None:
    rows = with_intervals(
        {
            "best": {"looks": 9, "each": "1" * 24},
            "slower": {"looks": 90, "each": "1" * 24},
            "short": {"looks": 2, "each": "1" * 12},  # it ran out of time
            "bad": {"looks": 2, "each": "0" * 24},
        }
    )
    assert "behind" not in rows["short"]  # as right as the others, with the fewest looks
    assert rows["bad"]["behind"][2] < 0 < rows["best"]["behind"][2] and rows["slower"]["behind"][0] == 0
