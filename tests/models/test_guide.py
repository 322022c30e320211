"""The guide says what there is: each family, each wish, and a recipe that works as it stands."""

from __future__ import annotations

import re
from pathlib import Path

from unmask.models import family_summary, get_family
from unmask.models.family import families
from unmask.models.hub import OPTIONS

GUIDE = (Path(__file__).parents[2] / "docs" / "models.md").read_text()


def test_the_guide_names_every_family_and_every_option() -> None:
    assert re.findall(r"^\| `(\w+)` \|", GUIDE.split("## Families")[1], re.M) == sorted(
        families(), key=lambda name: GUIDE.split("## Families")[1].index(f"| `{name}` |")
    )
    for option in OPTIONS:
        assert f"| `{option}` |" in GUIDE


def test_the_recipe_of_the_guide_runs() -> None:
    code = GUIDE.split("```python\n")[1].split("```")[0]
    made: dict[str, object] = {}
    exec(code, made)
    spec = made["checkpoint_spec"]({"max_position_embeddings": 128, "model_type": "theirs"}, "Their-7B")  # type: ignore[operator]
    assert spec.native == "Qwen2ForCausalLM" and spec.config == {"max_position_embeddings": 128, "is_causal": False}


def test_every_family_says_what_its_menu_needs() -> None:
    for name in families():
        made = get_family(name)
        assert (
            made.architectures
            and made.checkpoints
            and made.checkpoint_spec
            and family_summary(name).endswith((".", ")"))
        )
