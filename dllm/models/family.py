"""Model families: the record that a family's file declares, and finding the family of a checkpoint."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from unmask.errors import InvalidRequest
from unmask.models.architecture import NetworkShape as NetworkShape
from unmask.models.interface import Finish

if TYPE_CHECKING:
    from unmask.models.hub.adapter import Masked
    from unmask.models.hub.checkpoint_spec import CheckpointSpec, Config
    from unmask.models.hub.network import Network

# modules in this folder that are not families
SHARED = {"architecture", "array_ops", "bundled_network", "checkpoint_weights", "decoder_config", "describe"}
SHARED |= {"encoder_config", "family", "float_pass", "graph", "graph_network", "int8_graph", "interface", "onnx_writer"}
SHARED |= {"rotary", "rotated_weights", "transformer"}


@dataclass(frozen=True)
class Checkpoint:
    """A known checkpoint on the Hub, as listed in the model menu."""

    name: str
    billions: float  # of parameters
    licence: str = ""  # if it differs from its family's
    good: str = ""  # what it is good at, in a few words
    asks: str = ""  # a prompt that it answers, as an example
    stored: float = 2  # bytes a parameter in the file
    shape: NetworkShape | None = None  # of a small model, which the page offers for one-click download
    wanted: Literal["", "smallest", "best", "code"] = ""  # what it is the first choice for, on the page


@dataclass(frozen=True)
class Family:
    """The record that a family's file declares as `FAMILY`; a misspelt field is an error at import.

    A family either builds its own models (`builtin_names`, `prepare`) or loads checkpoints (`architectures`,
    `checkpoint_spec`)."""

    builtin_names: tuple[str, ...] = ()  # models loaded by name alone
    prepare: Callable[..., Finish] | None = None
    architectures: tuple[str, ...] = ()  # as in config.json; a pattern may end in a star
    checkpoint_spec: Callable[[Config, str], CheckpointSpec] | None = None
    checkpoints: tuple[Checkpoint, ...] = ()
    licence: str = "see its page"
    adapter: type[Masked] | None = None  # in place of the adapter that `checkpoint_spec` implies
    causal: type[Masked] | None = None  # adapter of the same weights as an autoregressive model
    network: Callable[..., Network] | None = None  # a network of our own in place of transformers'
    torch: bool = False  # whether all its networks run on PyTorch alone

    def __post_init__(self) -> None:
        if (self.prepare is None) == (self.checkpoint_spec is None):
            raise TypeError(
                "a family has either `prepare`, for models of its own, or `checkpoint_spec`, for checkpoints"
            )
        if not (self.builtin_names if self.prepare else self.architectures):
            raise TypeError(
                "a family names what it opens: `builtin_names` beside `prepare`,"
                " `architectures` beside `checkpoint_spec`"
            )
        if self.checkpoint_spec is not None and not self.checkpoints:
            raise TypeError("a family that loads checkpoints lists at least one in `checkpoints`")


@cache
def family_names() -> tuple[str, ...]:
    """The names of all families: the modules in this folder."""
    files = pkgutil.iter_modules([str(Path(__file__).parent)])
    return tuple(sorted(m.name for m in files if not m.ispkg and m.name not in SHARED))


@cache
def get_family(name: str) -> Family:
    """The record of a family, by name; a TypeError names the file of one that is declared wrongly."""
    file = f"dllm/models/{name}.py"
    try:
        found = getattr(importlib.import_module(f"{__package__}.{name}"), "FAMILY", None)
    except TypeError as error:
        raise TypeError(f"{file}: {error}") from error
    if not isinstance(found, Family):
        raise TypeError(f"{file} declares no FAMILY")
    return found


def family_summary(name: str) -> str:
    """A family in one line: the first of its module's docstring."""
    return (importlib.import_module(f"{__package__}.{name}").__doc__ or "").strip().partition("\n")[0]


def match_family(config: Config) -> str:
    """The family of a config's architecture; an exact name wins over a pattern, a longer pattern over a shorter."""
    architectures = [str(a) for a in config.get("architectures") or [config.get("model_type", "")]]
    fitting = [
        ("*" not in pattern, len(pattern), name)
        for name in families()
        for pattern in get_family(name).architectures
        if any(fnmatchcase(a, pattern) for a in architectures)
    ]
    if fitting and (best := max(fitting)[2]) != "causal":
        return best
    if fitting:  # some configs give the parent's architecture; then only the class name in `auto_map` tells the family
        exact = {a: name for name in families() for a in get_family(name).architectures if "*" not in a}
        classes = [str(v).rpartition(".")[2] for v in dict(config.get("auto_map") or {}).values()]
        return next((exact[c] for c in classes if c in exact), "causal")
    code = "Its own code is never run. " if config.get("auto_map") else ""
    raise InvalidRequest(
        f"no family here knows '{', '.join(architectures) or 'a model without a name'}'; there are "
        f"{', '.join(families())}. {code}docs/models.md says how to add one in one file."
    )


def families() -> list[str]:
    """The families that load checkpoints, from a folder or the Hub."""
    return [n for n in family_names() if get_family(n).checkpoint_spec]
