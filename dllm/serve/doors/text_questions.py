"""Questions about a prompt or a text that start no run: whether the model knows such prompts, whether a text makes
sense, and whether its facts agree."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import Any

from unmask.decide.constraint import parse_constraint
from unmask.errors import InvalidRequest
from unmask.inference import nonsense, ood
from unmask.inference.offers import offers
from unmask.inference.rule_doubt import rule_doubt
from unmask.live.request import Client
from unmask.live.session import Session
from unmask.models import Denoiser
from unmask.run.judge import judge
from unmask.serve.runtime import Runtime

Row = dict[str, Any]


class TextQuestions:
    """Answers them for one visitor."""

    def __init__(self, runtime: Runtime, client: Client) -> None:
        self.runtime, self._client = runtime, client

    async def ood_check(self, denoiser: Denoiser, prompt: str) -> Row:
        """Whether a prompt is in distribution and of a kind that is written well, by one forward; if not, what may be
        written instead. Without a measured threshold it counts as known."""
        answer: Row = {"did": "familiar", "prompt": prompt, "known": True, "offers": []}
        if (most := ood.ood_threshold(denoiser.card)) is None:
            return answer
        if title := ood.weak_kind(denoiser.card, prompt):
            answer |= {"known": False, "weak": title}
        elif not ood.has_known_title(denoiser.card, prompt):
            answer |= {"known": False}
        else:
            unusual = await self.runtime.device.run(partial(ood.prompt_surprisal, denoiser, prompt), self._client)
            if unusual is not None:
                answer |= {"known": unusual <= most, "strange": round(unusual, 2), "limit": most}
        return answer if answer["known"] else answer | {"offers": await self._offers(denoiser, prompt)}

    async def doubt_of_rule(self, denoiser: Denoiser, prompt: str, rule: Mapping[str, Any]) -> Row:
        """Whether the model would hardly write a good text under a rule; a rule that is wrong is refused by the run."""
        answer: Row = {"did": "rule_doubt", "kind": "", "about": ""}
        with suppress(InvalidRequest):
            row = parse_constraint(rule) if rule else {}
            found = await self.runtime.device.run(partial(rule_doubt, denoiser, prompt, row), self._client)
            return answer if found is None else answer | asdict(found)
        return answer

    async def nonsense(self, session: Session) -> Row:
        """Whether a run's text makes little sense, and what works better. Texts unlike those measured are not read."""
        answer: Row = {"did": "nonsense", "found": False, "offers": []}
        denoiser, first, state = session.denoiser, session.timeline.head.ancestor(0).state, session.state
        if not nonsense.is_readable(denoiser.card, first):
            return answer
        if not await self.runtime.device.run(partial(nonsense.is_nonsense_so_far, denoiser, state), self._client):
            return answer
        return answer | {"found": True, "offers": await self._offers(denoiser, nonsense.prompt_of(denoiser, first))}

    async def verdict(self, prompt: str, text: str) -> Row:
        """The strict judge's verdict on a text that continues a prompt; no facts if it is of no known kind."""
        verdict = await self.runtime.work.run(self._client.visitor, lambda: judge().strict(prompt, text))
        facts = {"facts": len(verdict.facts), "hold": sum(fact.holds for fact in verdict.facts)}
        found = {"strict": verdict.strict, "faults": len(verdict.reasons), "reasons": [*verdict.reasons][:4]}
        return {"did": "judged"} | facts | found

    async def _offers(self, denoiser: Denoiser, prompt: str) -> list[Row]:
        """Prompts near to this one that the model writes well."""
        found = await self.runtime.work.run(self._client.visitor, lambda: offers(denoiser.card, prompt))
        return [asdict(offer) for offer in found]
