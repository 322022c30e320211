"""Plots as beats, and beats as sentences: the same grammar writes a text and reads it back.

A text of plots is made of lines:
    = name: part + part|other part + part     plots, one for every way through
    ## part                                   what follows are its beats, in order
    a sentence / another wording of it        a beat; `?` in front: it may be left out
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from random import Random
from zlib import crc32

from unmask.pair.worlds.templates import Form, forms

# How often a sentence behind the first is told in its plain wording. Who writes many cells at once guesses each by
# itself; where every wording is as likely as the next, the guesses belong to different ones and mix.
PLAIN = 0.8


@dataclass(frozen=True)
class Beat:
    """One thing that happens, and the ways to tell it."""

    name: tuple[str, int]
    optional: bool
    wordings: tuple[tuple[Form, ...], ...]

    @cached_property
    def trained(self) -> tuple[tuple[Form, ...], ...]:
        """The ways to tell it of which documents to train on are made."""
        kept = (tuple(form for form in forms if not form.held_out) for forms in self.wordings)
        return tuple(forms for forms in kept if forms)

    @cached_property
    def held_out(self) -> tuple[Form, ...]:
        return tuple(form for forms in self.wordings for form in forms if form.held_out)


@dataclass(frozen=True)
class Parse:
    """What a sentence can be: a beat, the slots its words fill, and the sexes its pronouns ask for."""

    beat: tuple[str, int]
    slots: tuple[str, ...]
    sexes: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Plot:
    """A way through the parts."""

    name: str
    beats: tuple[Beat, ...]
    held_out: bool = False  # no training document tells it

    @cached_property
    def places(self) -> dict[tuple[str, int], int]:
        return {beat.name: at for at, beat in enumerate(self.beats)}


class Grammar:
    """The plots of one kind of text."""

    def __init__(self, text: str, keep: int = 12) -> None:
        """One plot in `keep` is for examination, if it is made of parts that others use too."""
        self._parts: dict[str, tuple[Beat, ...]] = {}
        ways: list[tuple[str, list[list[str]]]] = []
        name = ""
        for line in filter(None, map(str.strip, text.split("\n"))):
            if line.startswith("= "):
                family, _, path = line[2:].partition(": ")
                ways.append((family, [step.strip().split("|") for step in path.split(" + ")]))
            elif line.startswith("## "):
                name = line[3:]
                self._parts[name] = ()
            else:
                beats = self._parts[name]
                wordings = tuple(forms(wording, not beats) for wording in line.removeprefix("? ").split(" / "))
                self._parts[name] = (*beats, Beat((name, len(beats)), line.startswith("? "), wordings))
        self.plots: dict[str, Plot] = {}
        self.families: dict[str, list[Plot]] = {}
        for family, steps in ways:
            for parts in product(*steps):
                plot = f"{family}: {', '.join(parts[1:] or parts)}"
                beats = tuple(beat for part in parts for beat in self._parts[part])
                held_out = len(list(product(*steps))) > 2 and crc32(plot.encode()) % keep == 0
                self.plots[plot] = Plot(plot, beats, held_out)
                self.families.setdefault(family, []).append(self.plots[plot])
        self._trained = [
            kept for plots in self.families.values() if (kept := [plot for plot in plots if not plot.held_out])
        ]
        self._held_out = [plot for plot in self.plots.values() if plot.held_out]

    @cached_property
    def index(self) -> dict[str, list[Parse]]:
        """Sentence without its words → what it can be."""
        found: dict[str, list[Parse]] = {}
        for beats in self._parts.values():
            for beat in beats:
                for form in dict.fromkeys(form for wording in beat.wordings for form in wording):
                    for key, slots, sexes in form.shapes():
                        reading = Parse(beat.name, slots, sexes)
                        known = found.setdefault(key, [])
                        if reading not in known:
                            known.append(reading)
        return found

    @cached_property
    def telling(self) -> dict[tuple[str, int], frozenset[str]]:
        """Beat → the plots it belongs to."""
        found: dict[tuple[str, int], set[str]] = {}
        for plot in self.plots.values():
            for beat in plot.beats:
                found.setdefault(beat.name, set()).add(plot.name)
        return {beat: frozenset(plots) for beat, plots in found.items()}

    def draw(self, rng: Random, new: bool = False) -> Plot:
        """A plot: first its family, so that none is told oftener for having more ways; a `new` one if asked."""
        if new and self._held_out:
            return rng.choice(self._held_out)
        return rng.choice(rng.choice(self._trained))

    def tell(
        self, plot: Plot, scene: Mapping[str, str], rng: Random, new: bool = False, usual: float = PLAIN
    ) -> list[str]:
        """One sentence a beat, mostly plain behind the first; with `new` wordings, first of all in the first."""
        sentences = []
        for at, beat in enumerate(plot.beats):
            plain = usual > 0 and at > 0 and rng.random() < usual
            if beat.optional and not plain and rng.random() < 0.5:
                continue
            if new and beat.held_out and (at == 0 or rng.random() < 0.2):
                form = rng.choice(beat.held_out)
            elif plain and beat.trained:
                form = beat.trained[0][0]
            else:
                form = rng.choice(rng.choice(beat.trained))
            sentences.append(form.fill(scene))
        return sentences

    def forms(self) -> list[Form]:
        """Every sentence it can say, once."""
        every = (
            form for beats in self._parts.values() for beat in beats for wording in beat.wordings for form in wording
        )
        return list(dict.fromkeys(every))
