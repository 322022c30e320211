"""Options of `decode` that model its time on another machine, and what they print."""

from __future__ import annotations

import argparse
from typing import Any

from unmask.canvas import Card
from unmask.errors import InvalidRequest
from unmask.run.clock_sentence import TimedRun, clock_sentence, sentence_text
from unmask.run.modelled_time import EFFICIENCY, Clock, seconds_band
from unmask.run.pass_time import Size, get_chip, get_size, measured_chip
from unmask.run.timeline import Timeline

OPTIONS = ("twin", "clock", "size", "users", "efficiency", "overhead", "json")
THIS = "this"
BYTES = {"fp32": 4.0, "fp8": 1.0}  # other numbers take 2


def check(options: argparse.Namespace) -> None:
    """Refuse bad options before a model is loaded."""
    if options.clock is None:
        given = [n for n in ("size", "users", "efficiency", "overhead") if getattr(options, n) is not None]
        if given:
            name = "as" if given[0] == "size" else given[0]
            raise InvalidRequest(f"--{name} needs --clock: the chip that it is about", name)
        return
    chip = get_chip("h100" if options.clock == THIS else options.clock)
    size = get_size(options.size) if options.size is not None else Size(1e9, 1e9)
    _clock(options, chip, size)


def check_card(options: argparse.Namespace, card: Card) -> None:
    """Refuse options that a loaded model cannot meet, before it decodes."""
    if options.twin:
        twin_of(card)
    if options.clock == THIS or (options.clock is not None and options.size is None):
        own_size(card)


def twin_of(card: Card) -> str:
    """The name of a model's autoregressive twin."""
    name = card.twin or ("twin" if card.family == "embedded" and not card.causal else "")
    if not name:
        raise InvalidRequest(f"{card.name} has no autoregressive twin: leave out --twin")
    return name


def clock(options: argparse.Namespace, run: Timeline, twin: Timeline | None) -> Clock | None:
    """The machine that the options describe."""
    if options.clock is None:
        return None
    if options.clock == THIS:
        # a run's forwards have many tokens and its twin's have few
        forwards = [each.mean_forward() for each in (run, twin) if each is not None]
        chip = measured_chip(own_size(run.card(), here=True), forwards)
    else:
        chip = get_chip(options.clock)
    size = own_size(run.card(), options.clock == THIS) if options.size is None else get_size(options.size)
    return _clock(options, chip, size)


def own_size(card: Card, here: bool = False) -> Size:
    """The size of a loaded model; in bf16 unless it is `here`. All its parameters count as active."""
    if not card.parameters:
        raise InvalidRequest(f"the number of parameters of {card.name} is unknown: give a size, such as --as 8b", "as")
    return Size(card.parameters, card.parameters, BYTES.get(card.number, 2.0) if here else 2.0, name=card.name)


def sides(run: Timeline, twin: Timeline | None) -> list[TimedRun]:
    """The run and, if there is one, its twin's."""
    return [TimedRun(t.card().name, t.measured(), t.works()) for t in (run, twin) if t is not None]


def times(clock: Clock | None, run: Timeline, twin: Timeline | None) -> dict[str, Any]:
    """The measured and modelled times of a run, and of its twin's if it ran."""
    row: dict[str, Any] = _both(clock, run)
    if twin is not None:
        row["twin"] = _both(clock, twin)
    if clock is not None:
        row["clock"] = {
            "chip": clock.chip.name,
            "model": clock.size.name,
            "users": clock.users,
            "efficiency": clock.efficiency,
            "overhead": clock.overhead,
        }
        row["sentence"] = sentence_text(clock_sentence(clock, *sides(run, twin)))
    return row


def _both(clock: Clock | None, run: Timeline) -> dict[str, Any]:
    row: dict[str, Any] = {"measured": run.measured().to_dict()}
    if clock is not None:
        row["modelled"] = run.modelled(clock).to_dict() | {"seconds_band": seconds_band(clock, run.works())}
    return row


def _clock(options: argparse.Namespace, chip: Any, size: Size) -> Clock:
    given = {n: v for n in ("users", "efficiency", "overhead") if (v := getattr(options, n)) is not None}
    return Clock(chip, size, **({"efficiency": 1.0 if options.clock == THIS else EFFICIENCY} | given))
