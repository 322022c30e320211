"""The judge that the engine finds here: the laws of the pair's worlds, as `unmask.run.judge` asks for them."""

from __future__ import annotations

from collections.abc import Sequence

from unmask.pair.eval.generate import LENGTHS, SHORT, held_out
from unmask.pair.offers import SHAPE, offers
from unmask.pair.worlds import strict
from unmask.pair.worlds.mixture import TITLES
from unmask.run.judge import Offer, Verdict

STEP = 8  # cells: lengths are rounded up as the page's slider counts


class WorldsJudge:
    """Judges texts that begin with the title of a world."""

    titles = tuple(TITLES)

    def strict(self, prompt: str, text: str) -> Verdict:
        return strict(prompt, text)

    def prompts(self, count: int, shapes: Sequence[str]) -> list[str]:
        return [one.prompt for one in held_out(count, shapes)]

    def cells(self, shape: str) -> int:
        return LENGTHS.get(shape, SHORT)

    def offers(self, prompt: str) -> tuple[Offer, ...]:
        found = offers(prompt).items()
        return tuple(Offer(kind, made, -(-self.cells(SHAPE.get(kind, kind)) // STEP) * STEP) for kind, made in found)


JUDGE = WorldsJudge()
