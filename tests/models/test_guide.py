"""The guide says what there is: each family, each wish, and a recipe that works as it stands."""

from __future__ import annotations

import re
from pathlib import Path

from unmask.models import about, family
from unmask.models.family import families
from unmask.models.hub import WISHES

GUIDE = (Path(__file__).parents[2] / "docs" / "models.md").read_text()


def test_the_guide_names_every_family_and_every_wish() -> None:
    assert re.findall(r"^\| `(\w+)` \|", GUIDE.split("## Families")[1], re.M) == sorted(
        families(), key=lambda name: GUIDE.split("## Families")[1].index(f"| `{name}` |")
    )
    for wish in WISHES:
        assert f"| `{wish}` |" in GUIDE


def test_the_recipe_of_the_guide_runs() -> None:
    code = GUIDE.split("```python\n")[1].split("```")[0]
    made: dict[str, object] = {}
    exec(code, made)
    recipe = made["recipe"]({"max_position_embeddings": 128, "model_type": "theirs"}, "Their-7B")  # type: ignore[operator]
    assert recipe.native == "Qwen2ForCausalLM" and recipe.config == {"max_position_embeddings": 128, "is_causal": False}


def test_every_family_says_what_its_menu_needs() -> None:
    for name in families():
        made = family(name)
        assert made.architectures and made.shelf and made.recipe and about(name).endswith((".", ")"))
