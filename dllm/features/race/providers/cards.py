"""Cards of remote models, read from cards.toml. A value that is not known is left out, never guessed."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from unmask.config import config, environment_key
from unmask.errors import InvalidRequest

FILE = Path(__file__).with_name("cards.toml")
LISTS = {"openrouter": "https://openrouter.ai/api/v1/models", "vercel": "https://ai-gateway.vercel.sh/v1/models"}


class Secret:
    """A key: text that shows in no log, repr, frame, trace or exception. Code that sends it must call `reveal`."""

    __slots__ = ("_hidden",)

    def __init__(self, text: str) -> None:
        self._hidden = text.strip()

    def __repr__(self) -> str:
        return "Secret(…)" if self._hidden else "Secret()"

    __str__ = __repr__

    def __bool__(self) -> bool:
        return bool(self._hidden)

    def __reduce__(self) -> str:
        raise TypeError("a secret cannot be pickled")

    def reveal(self) -> str:
        """The text itself; pass it on without keeping a copy."""
        return self._hidden


@dataclass(frozen=True)
class Price:
    """Dollars for a million tokens, with source and date."""

    input: float
    output: float
    date: str
    source: str
    note: str = ""

    def of(self, prompt: int, answer: int) -> float:
        return (prompt * self.input + answer * self.output) / 1e6


@dataclass(frozen=True)
class RemoteModel:
    """A remote model, as it is reached in one way: directly or through a gateway."""

    name: str  # label and way, such as "mercury-2 openrouter"
    title: str
    kind: str  # "diffusion" or "autoregressive"
    base_url: str
    model: str
    key: str  # the environment variable that holds its key; "" where none is needed
    way: str  # "direct", "openrouter", "vercel" or "own"
    price: Price | None = None
    diffusing: bool = False  # can stream its drafts
    efforts: tuple[str, ...] = ()
    confirmed: bool = True  # the id was seen on the gateway's site; else it is derived from the gateway's pattern
    tells_cost: bool = False
    limit: str = "max_tokens"  # the parameter that limits the length of an answer
    extra: Mapping[str, Any] = field(default_factory=dict)


@cache
def cards() -> dict[str, RemoteModel]:
    """Every card, by name, with newer prices where a gateway's list has been downloaded."""
    lists = price_lists()
    return {name: _updated(one, lists) for name, one in shipped().items()}


def lists_file() -> Path:
    """The file with the downloaded lists of the gateways."""
    return config().catalogue or config().cache / "catalogue.json"


def price_lists() -> dict[str, Any]:
    """The lists that `catalogue` stored; empty if there are none or they cannot be read."""
    try:
        data = json.loads(lists_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) and isinstance(data.get("date"), str) else {}


def _updated(card: RemoteModel, lists: Mapping[str, Any]) -> RemoteModel:
    """The card updated from its gateway's list; unchanged if there is no list."""
    way = lists.get("lists", {}).get(card.way)
    if way is None:
        return card
    if card.model not in way:
        return replace(card, confirmed=False)
    price = way[card.model]
    data = Price(price[0], price[1], lists["date"], LISTS[card.way]) if price else card.price
    return replace(card, confirmed=True, price=data)


@cache
def shipped() -> dict[str, RemoteModel]:
    """The cards of cards.toml: one for each model and each way to reach it."""
    data = tomllib.loads(FILE.read_text(encoding="utf-8"))
    cards: dict[str, RemoteModel] = {}
    for label, model in data["model"].items():
        for way, number in model["ids"].items():
            place = data["direct"][model["maker"]] if way == "direct" else data["gateway"][way]
            price = model.get("price", {}).get(way)
            card = RemoteModel(
                name=f"{label} {way}",
                title=model["name"] if way == "direct" else f"{model['name']} by {way}",
                kind=model["kind"],
                base_url=place["base_url"],
                model=number,
                key=place["key"],
                way=way,
                price=Price(**price) if price else None,
                # only the maker's own API is known to send drafts
                diffusing=model.get("diffusing", False) and way == "direct",
                efforts=tuple(model.get("efforts", ())) if way == "direct" else (),
                confirmed=way not in model.get("unconfirmed", ()),
                tells_cost=place.get("tells_cost", False),
                limit=place.get("limit", "max_tokens"),
            )
            cards[card.name] = card
    return cards


def card(name: str) -> RemoteModel:
    """The card of this name; the error lists the names."""
    if name not in cards():
        raise InvalidRequest(f"no rival '{name[:64]}'; there are {', '.join(cards())}")
    return cards()[name]


def custom_model(base_url: str, model: str, diffusing: bool = False, title: str = "") -> RemoteModel:
    """A card for any OpenAI-compatible server: vLLM, SGLang, llama.cpp, Ollama, or another copy of this app."""
    if not base_url or not model or len(base_url) > 512 or len(model) > 256:
        raise InvalidRequest("a server of your own needs an address and a model")
    return RemoteModel(
        "own", title or model, "diffusion" if diffusing else "unknown", base_url, model, "", "own", None, diffusing
    )


def key_for(card: RemoteModel, typed: str = "", owner: bool = False) -> Secret:
    """The key that the visitor typed; else the owner's, if the visitor is the owner or the owner shares it."""
    if typed.strip():
        return Secret(typed)
    shared = card.name in config().shared_rivals
    return Secret(environment_key(card.key) if card.key and (owner or shared) else "")


def missing_key(card: RemoteModel) -> str:
    """What to do if the key is missing."""
    return f"set {card.key} before starting, or type a key for this session"
