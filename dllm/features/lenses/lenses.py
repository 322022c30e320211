"""The lenses: questions about a moment of a session, which do not change it.

They share the device with the runs, one small batch at a time."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, assert_never

import numpy as np

from unmask.canvas import Ints
from unmask.errors import InvalidRequest
from unmask.features.lenses import requests
from unmask.features.lenses.attribution import UNSEEN, is_calibrated, leave_one_out, logit_lens, masked_input
from unmask.features.lenses.candidates import candidates
from unmask.features.lenses.clashes import ROWS, clash, parallel_costs
from unmask.features.lenses.drift import Drift, open_rows
from unmask.features.lenses.requests import QUESTIONS, Question
from unmask.features.lenses.turns import check_cell, moment_at, on_device, passes, rounded, spaced
from unmask.features.lenses.validity import validity
from unmask.inference.measures import Goal, compared, measure
from unmask.live.permissions import Permission
from unmask.live.session import Session
from unmask.models.array_ops import inference_mode
from unmask.run.writing_order import writing_order
from unmask.serve.doors.messages import numbers
from unmask.serve.features import Answers


async def why(session: Session, question: requests.Why) -> dict[str, Any]:
    """Leave-one-out attribution of a written word: each other word is masked in turn."""
    node = moment_at(session, question.at)
    cell, canvas = check_cell(node, question.cell), node.canvas
    others = np.flatnonzero(~canvas.open & (np.arange(len(canvas)) != cell))
    parts = []
    for at in range(0, max(len(others), 1), ROWS):
        part: Ints = others[at : at + ROWS]
        parts.append(await on_device(session, partial(leave_one_out, session.denoiser, node.state, cell, part)))
    alone, nats = parts[-1][0], np.concatenate([some for _, some in parts], 1)
    decoded, raw = ({"share": float(np.exp(one)), "nats": rounded(row)} for one, row in zip(alone, nats, strict=True))
    scales = decoded | {"raw": raw, "calibrated": is_calibrated(session.denoiser, node.state)}
    return {"did": "why", "at": node.at, "cell": cell, "others": others.tolist()} | scales


async def layers(session: Session, question: requests.Layers) -> dict[str, Any]:
    """The logit lens: at which layer and after which pass the model knew the word in a cell."""
    node, denoiser = moment_at(session, question.at), session.denoiser
    cell = check_cell(node, question.cell)
    if node.canvas.open[cell]:
        raise InvalidRequest("nothing stands in this cell yet: ask once it is written")
    path = await session.device.work.run(session.client.visitor, lambda: spaced(node))
    name, token = int(node.canvas.ids[cell]), int(node.canvas.tokens[cell])
    share, raw, best = list[list[float | None]](), list[list[float | None]](), list[list[str]]()
    for one in path:
        found = await on_device(session, partial(logit_lens, denoiser, [one.state], name, token))
        if found is None:
            raise InvalidRequest("this model does not show its layers")
        share.append(rounded(found.share[0, 0]))
        raw.append(rounded(found.share[1, 0]))
        best.append([denoiser.tokenizer.display_piece(t) if t >= 0 else "" for t in found.best[0].tolist()])
    width = max(len(row) for row in share)
    if not width:
        raise InvalidRequest(UNSEEN)
    # before its block begins, a cell is not looked at
    share, raw = ([row or [None] * width for row in rows] for rows in (share, raw))
    best = [row or [""] * width for row in best]
    scales = {"share": share, "raw": raw, "calibrated": is_calibrated(denoiser, node.state)}
    return {"did": "layers", "cell": cell, "at": [one.at for one in path], "best": best} | scales


async def likeliest(session: Session, question: requests.Candidates) -> dict[str, Any]:
    """The candidates of a cell in the pass that leads to a moment."""
    node, denoiser = moment_at(session, question.at), session.denoiser
    cell = check_cell(node, question.cell)
    if node.frame is None or node.parent is None:
        raise InvalidRequest("no pass leads to this moment: ask for one after a pass")
    before = node.parent.state
    if len(before.canvas) != len(node.canvas):
        raise InvalidRequest("the text grew or shrank in this pass: ask for another one")
    found = await on_device(session, partial(candidates, denoiser, before, cell))
    rows = [
        [[t, denoiser.tokenizer.display_piece(t), round(p, 6)] for t, p in zip(*pair, strict=True)]
        for pair in (
            (found.tokens.tolist(), found.probs.tolist()),
            (found.raw_tokens.tolist(), found.raw_probs.tolist()),
        )
    ]
    scales = {"candidates": rows[0], "raw": rows[1], "calibrated": is_calibrated(denoiser, before)}
    return {"did": "candidates", "at": node.at, "cell": cell} | scales


async def attention(session: Session, question: requests.Attention) -> dict[str, Any]:
    """Where a head looks at the row that predicts a cell."""
    node, denoiser = moment_at(session, question.at), session.denoiser
    cell, (count, heads) = check_cell(node, question.cell), denoiser.attention_heads()
    if not count:
        raise InvalidRequest("this model does not show its attention")
    layer, head = count - 1 if question.layer == -1 else question.layer, question.head
    for name, number, most in (("layer", layer, count), ("head", head, heads)):
        if not 0 <= number < most:
            raise InvalidRequest(f"there is no {name} {number}: the model has {most}, counted from 0", name)
    masked = masked_input(denoiser, node.state, cell)
    if masked is None:
        raise InvalidRequest(UNSEEN)

    def weights() -> Any:
        with inference_mode(denoiser):
            return denoiser.attention(masked[1], layer, head)

    found = await on_device(session, weights)
    if found is None:
        raise InvalidRequest("this model does not show its attention")
    row = {"weights": rounded(found), "elsewhere": round(max(0.0, 1 - float(found.sum())), 6)}
    return (
        {"did": "attention", "at": node.at, "cell": cell, "layers": count, "heads": heads}
        | row
        | {
            "layer": layer,
            "head": head,
        }
    )


async def drift(session: Session) -> dict[str, Any]:
    """How far each pass is from the one before and from the last, and the order of writing."""
    measured, rows = Drift(), passes(session)
    for before, _ in reversed(rows):
        found = await on_device(session, partial(open_rows, session.denoiser, before))
        await session.device.work.run(session.client.visitor, partial(measured.add, found))
    head, card = session.head, session.denoiser.card
    order = await session.device.work.run(session.client.visitor, lambda: writing_order(head.path(), card))
    return {
        "did": "drift",
        "at": [node.at for _, node in rows],
        "last": rounded(np.array(measured.from_last[::-1])),
        "before": [None, *rounded(np.array(measured.from_before[::-1]))][: len(rows)],
        "order": order and {"tau": round(order.tau, 4), "error": round(order.error, 4), "words": order.words},
    }


async def valid(session: Session, question: requests.Validity) -> dict[str, Any]:
    """The probability of a valid text if all cells were written now without the constraint, and what it allows."""
    node = moment_at(session, question.at)
    found = await on_device(session, partial(validity, session.denoiser, node.state))
    return {
        "did": "validity",
        "at": node.at,
        "chance": found.chance,
        "begins": found.begins,
        "live": found.live,
        "allowed": found.allowed,
    }


async def goals(session: Session, question: requests.Goals) -> dict[str, Any]:
    """The measures of a finished run, and which goals it meets."""
    if not session.head.state.done:
        raise InvalidRequest("the run has not ended yet: its goals are checked at its end")
    return {"did": "goals"} | await session.device.work.run(session.client.visitor, partial(_goals, session, question))


def _goals(session: Session, question: requests.Goals) -> dict[str, Any]:
    goals = [Goal(text) for text in question.goals]
    prompt = str(session.timeline.about["prompt"])
    found = measure(session.denoiser, session.head, prompt, any("chance" in goal.text for goal in goals))
    met = [goal.holds(found, question.runs) for goal in goals]
    return {"measures": found | compared(goals, found, question.runs), "met": met}


async def answer(session: Session, question: Question) -> dict[str, Any]:
    """The answer to a question about a run."""
    match question:
        case requests.Clash():
            return await clash(session, question)
        case requests.Paid():
            return await parallel_costs(session)
        case requests.Why():
            return await why(session, question)
        case requests.Layers():
            return await layers(session, question)
        case requests.Candidates():
            return await likeliest(session, question)
        case requests.Attention():
            return await attention(session, question)
        case requests.Drift():
            return await drift(session)
        case requests.Validity():
            return await valid(session, question)
        case requests.Goals():
            return await goals(session, question)
        case _:
            assert_never(question)


class LensAnswers(Answers):
    """Answers only the last question of each kind: a pointer that moves over the cells asks about each."""

    kinds = latest = frozenset(QUESTIONS.kinds)

    async def answer(self, row: Mapping[str, Any]) -> None:
        """A lens uses the device, so it needs the right to steer."""
        question = QUESTIONS.read(row)
        session = self.visit.follower(question.session, Permission.STEER).session
        await self.visit.send(await answer(session, question) | {"session": session.id} | numbers(row))
