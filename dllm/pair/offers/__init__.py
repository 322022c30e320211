"""What may be written instead of a prompt that the bundled pair does not know: prompts of kinds that it writes well."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unmask.pair.offers import papers, rows, story, sums, talk

# by kind, the likeliest to be meant first
KINDS: Mapping[str, Callable[[str], str]] = {
    "talk": talk.talk,
    "sum": sums.total,
    "less": sums.difference,
    "sort": rows.sorting,
    "steps": papers.steps,
    "recipe": papers.recipe,
    "letter": papers.letter,
    "dialogue": papers.dialogue,
    "story": story.opening,
}
SHAPE = {"talk": "chat"}  # kinds that are called otherwise among the worlds


def offers(prompt: str) -> dict[str, str]:
    """Prompts by kind that come near to what somebody typed; none where it asks for something else."""
    text = " ".join(prompt.split())
    made = {kind: near(text) for kind, near in KINDS.items()}
    found = {kind: prompt for kind, prompt in made.items() if prompt}
    return found if len(found) < 2 else {kind: prompt for kind, prompt in found.items() if kind != "story"}
