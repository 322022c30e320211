"""Cards of remote models, read from one data file: unknown rather than guessed."""

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
from unmask.features.race.providers.secret import Secret

FILE = Path(__file__).with_name("cards.toml")
LISTS = {"openrouter": "https://openrouter.ai/api/v1/models", "vercel": "https://ai-gateway.vercel.sh/v1/models"}


@dataclass(frozen=True)
class Price:
    """Dollars for a million tokens, and where that was read, and when."""

    input: float
    output: float
    date: str
    source: str
    note: str = ""

    def of(self, prompt: int, answer: int) -> float:
        return (prompt * self.input + answer * self.output) / 1e6


@dataclass(frozen=True)
class RemoteModel:
    """A rival as it is reached one way."""

    name: str  # as the page and the command line call it: "mercury-2 openrouter"
    title: str
    kind: str  # "diffusion" or "autoregressive"
    base_url: str
    model: str
    key: str  # the environment variable that holds its key; "" where none is needed
    way: str  # "direct", "openrouter", "vercel" or "own"
    price: Price | None = None
    diffusing: bool = False  # can send its drafts
    efforts: tuple[str, ...] = ()
    confirmed: bool = True  # its name was seen on a page of this way; else it follows the way's pattern
    tells_cost: bool = False
    limit: str = "max_tokens"  # how it calls the length of an answer
    extra: Mapping[str, Any] = field(default_factory=dict)


@cache
def cards() -> dict[str, RemoteModel]:
    """Every card there is, by name, with newer prices where a gateway's list was fetched."""
    lists = price_lists()
    return {name: _fresh(one, lists) for name, one in shipped().items()}


def fetched() -> Path:
    """The file that keeps the gateways' lists."""
    return config().catalogue or config().cache / "catalogue.json"


def price_lists() -> dict[str, Any]:
    """The lists that `catalogue` kept; nothing where there are none, or none that can be read."""
    try:
        data = json.loads(fetched().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) and isinstance(data.get("date"), str) else {}


def _fresh(card: RemoteModel, lists: Mapping[str, Any]) -> RemoteModel:
    """A card with what its gateway's list says; as it was, where there is no list."""
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
    """The cards of the file: each model directly, where it has such an API, and by each gateway."""
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
                # only the maker's own door is known to send drafts
                diffusing=model.get("diffusing", False) and way == "direct",
                efforts=tuple(model.get("efforts", ())) if way == "direct" else (),
                confirmed=way not in model.get("unconfirmed", ()),
                tells_cost=place.get("tells_cost", False),
                limit=place.get("limit", "max_tokens"),
            )
            cards[card.name] = card
    return cards


def card(name: str) -> RemoteModel:
    """The card of this name, or a sentence about what there is."""
    if name not in cards():
        raise InvalidRequest(f"no rival '{name[:64]}'; there are {', '.join(cards())}")
    return cards()[name]


def custom_model(base_url: str, model: str, diffusing: bool = False, title: str = "") -> RemoteModel:
    """Any OpenAI-compatible server: vLLM, SGLang, llama.cpp, Ollama, or another copy of this app."""
    if not base_url or not model or len(base_url) > 512 or len(model) > 256:
        raise InvalidRequest("a server of your own needs an address and a model")
    return RemoteModel(
        "own", title or model, "diffusion" if diffusing else "unknown", base_url, model, "", "own", None, diffusing
    )


def key_for(card: RemoteModel, typed: str = "", owner: bool = False) -> Secret:
    """A visitor's own key; the owner's, from the environment, only for the owner or where the owner shares it."""
    if typed.strip():
        return Secret(typed)
    shared = card.name in config().shared_rivals
    return Secret(environment_key(card.key) if card.key and (owner or shared) else "")


def missing_key(card: RemoteModel) -> str:
    """What to do where a key is missing."""
    return f"set {card.key} before starting, or type a key for this session"
