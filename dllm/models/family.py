"""A family of models: what its file declares, and which families there are."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from unmask.errors import InvalidRequest
from unmask.models.interface import Finish

if TYPE_CHECKING:
    from unmask.models.hub.adapter import Masked
    from unmask.models.hub.checkpoint_spec import CheckpointSpec, Config
    from unmask.models.hub.network import Network

SHARED = ("family", "interface", "fused", "transformer")  # files beside this one that are no family


@dataclass(frozen=True)
class NetworkShape:
    """How large the layers of a network are: enough to time one without its weights."""

    layers: int
    width: int
    ffn_width: int  # of the part between attentions
    heads: int
    kv_heads: int  # heads that keys and values have
    head_width: int  # of a head
    vocab_size: int
    gates: int = 2  # products that lead inside: two where one gates the other

    def to_hub_config(self) -> Config:
        """The same in the words of a config."""
        return {
            "num_hidden_layers": self.layers,
            "hidden_size": self.width,
            "num_attention_heads": self.heads,
            "num_key_value_heads": self.kv_heads,
            "head_dim": self.head_width,
            "vocab_size": self.vocab_size,
            "tie_word_embeddings": True,  # as small models have it
        }


@dataclass(frozen=True)
class Checkpoint:
    """One line of the menu: a checkpoint that is known to exist."""

    name: str
    billions: float  # numbers in its weights
    licence: str = ""  # where it is not its family's
    good: str = ""  # what it is good at, in a few words
    stored: float = 2  # bytes of a number as it is fetched
    shape: NetworkShape | None = None  # of a small one, which is offered at one press


@dataclass(frozen=True)
class Family:
    """What a family's file declares, as `FAMILY`. It is closed: a hook that does not exist is an error at import.

    Either it has models of its own (`builtin_names`, `prepare`), or it opens checkpoints (`architectures`,
    `checkpoint_spec`)."""

    builtin_names: tuple[str, ...] = ()  # models that open by their bare name
    prepare: Callable[..., Finish] | None = None
    architectures: tuple[str, ...] = ()  # as config.json names them; a star fits any ending
    checkpoint_spec: Callable[[Config, str], CheckpointSpec] | None = None
    checkpoints: tuple[Checkpoint, ...] = ()
    licence: str = "see its page"
    adapter: type[Masked] | None = None  # how it reads, where its recipe does not say it all
    causal: type[Masked] | None = None  # the same weights, read from left to right
    network: Callable[..., Network] | None = None  # a network of our own in place of transformers'

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


def family_names() -> list[str]:
    """Every family there is: the files beside this one."""
    files = pkgutil.iter_modules([str(Path(__file__).parent)])
    return sorted(m.name for m in files if not m.ispkg and m.name not in SHARED)


@cache
def get_family(name: str) -> Family:
    """What a family's file declares."""
    found = getattr(importlib.import_module(f"{__package__}.{name}"), "FAMILY", None)
    if not isinstance(found, Family):
        raise TypeError(f"dllm/models/{name}.py declares no FAMILY")
    return found


def family_summary(name: str) -> str:
    """What a family's file says of itself, in a line."""
    return (importlib.import_module(f"{__package__}.{name}").__doc__ or "").strip().partition("\n")[0]


def match_family(config: Config) -> str:
    """The family that knows a config's architecture; the longest pattern says most, a name without a star all."""
    architectures = [str(a) for a in config.get("architectures") or [config.get("model_type", "")]]
    fitting = [
        ("*" not in pattern, len(pattern), name)
        for name in families()
        for pattern in get_family(name).architectures
        if any(fnmatchcase(a, pattern) for a in architectures)
    ]
    if fitting and (best := max(fitting)[2]) != "causal":
        return best
    if fitting:  # some call themselves by their parent's name, and only their own code's class says what they are
        exact = {a: name for name in families() for a in get_family(name).architectures if "*" not in a}
        classes = [str(v).rpartition(".")[2] for v in dict(config.get("auto_map") or {}).values()]
        return next((exact[c] for c in classes if c in exact), "causal")
    raise InvalidRequest(
        f"no family here knows '{', '.join(architectures) or 'a model without a name'}'; there are "
        f"{', '.join(families())}. docs/models.md says how to add one in one file."
    )


def families() -> list[str]:
    """The families that open a folder or a hub id."""
    return [n for n in family_names() if get_family(n).checkpoint_spec]
