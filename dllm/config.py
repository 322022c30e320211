"""Settings from environment variables, parsed once at first use; `python -m unmask config` lists them."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from unmask.errors import ConfigError


def version() -> str:
    """The version of the installed package; of a checkout, what pyproject.toml says."""
    try:
        return metadata.version("unmask")
    except metadata.PackageNotFoundError:
        file = Path(__file__).resolve().parents[1] / "pyproject.toml"
        return str(tomllib.loads(file.read_text("utf-8"))["project"]["version"])


# variables that were renamed: the old name is read if the new one is not set
FORMER = {
    "UNMASK_POLICIES": "DLLM_POLICIES",
    "UNMASK_CONNECTIONS": "UNMASK_LINES",
    "UNMASK_VISITOR_CONNECTIONS": "UNMASK_VISITOR_LINES",
    "UNMASK_READ_TIMEOUT": "UNMASK_PATIENCE",
    "UNMASK_REPLICAS": "UNMASK_LANES",
}


def text_of(environment: Mapping[str, str], name: str) -> str:
    """What a variable is set to, under its present or its former name; empty where it is not set."""
    return environment.get(name, "").strip() or environment.get(FORMER.get(name, ""), "").strip()


def variable(name: str, default: str, read: Callable[[str], Any], help: str, secret: bool = False) -> Any:
    """A field of the config: the variable's name, its default text, and the function that parses it."""
    metadata = {"name": name, "default": default, "read": read, "help": help, "secret": secret}
    return field(metadata=metadata)


def split_words(text: str) -> tuple[str, ...]:
    """Words separated by spaces or commas."""
    return tuple(text.replace(",", " ").split())


def lower(text: str) -> tuple[str, ...]:
    return tuple(word.rstrip("/").lower() for word in split_words(text))


def folders(text: str) -> tuple[Path, ...]:
    return tuple(Path(part) for part in text.split(os.pathsep) if part)


def count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError("it must be 0 or more")
    return number


def seconds(text: str) -> float:
    number = float(text)
    if not 0 <= number < float("inf"):
        raise ValueError("it must be 0 or more")
    return number


def switch(text: str) -> bool:
    if text.lower() not in ("", "0", "1", "no", "off", "on", "yes"):
        raise ValueError("it must be 1 or 0")
    return text.lower() in ("1", "on", "yes")


@dataclass(frozen=True, repr=False)
class Config:
    """Every setting that comes from the environment."""

    models: tuple[str, ...] = variable(
        "UNMASK_MODELS",
        "",
        split_words,
        "models to serve, separated by spaces or commas: `NAME` or `NAME=FAMILY:WHAT`; `any` lets visitors open any "
        "model",
    )
    attach: tuple[str, ...] = variable(
        "UNMASK_ATTACH", "", split_words, "servers whose models are served too: `URL` or `NAME=URL` (docs/attach.md)"
    )
    models_mb: int = variable(
        "UNMASK_MODELS_MB", "0", count, "memory for all open models, in MB; 0 is all memory of their device"
    )
    lessons: tuple[Path, ...] = variable("UNMASK_LESSONS", "", folders, "folders with your own lessons, one file each")
    policies: tuple[Path, ...] = variable(
        "UNMASK_POLICIES", "", folders, "folders with your own policies, one file each"
    )
    checks: tuple[Path, ...] = variable("UNMASK_CHECKS", "", folders, "folders with your own checks, one file each")
    scorers: tuple[Path, ...] = variable("UNMASK_SCORERS", "", folders, "folders with your own scorers, one file each")
    run_code: bool = variable(
        "UNMASK_RUN_CODE",
        "",
        switch,
        "1 lets `unmask sweep` and the check `tests` run code that a model wrote, to test it",
    )

    api_keys: tuple[str, ...] = variable(
        "UNMASK_API_KEYS", "", split_words, "keys for /v1; without one only this machine and the page may call it", True
    )
    hosts: tuple[str, ...] = variable("UNMASK_HOSTS", "", lower, "further host names of this server")
    space_host: str = variable("SPACE_HOST", "", str.lower, "the host name of a Space; set by Hugging Face")
    space: str = variable("SPACE_ID", "", str, "the name of a Space, OWNER/NAME; set by Hugging Face")
    oauth_client: str = variable(
        "OAUTH_CLIENT_ID", "", str, "OAuth client of a Space; set by Hugging Face, as are the next two"
    )
    oauth_secret: tuple[str, ...] = variable("OAUTH_CLIENT_SECRET", "", split_words, "the key of that client", True)
    oauth_provider: str = variable("OPENID_PROVIDER_URL", "", str, "where visitors of a Space sign in")
    zero_gpu: bool = variable(
        "SPACES_ZERO_GPU", "", lambda text: text.lower() in ("1", "t", "true"),
        "whether the GPU is allocated per call (ZeroGPU); set by Hugging Face",
    )  # fmt: skip
    origins: tuple[str, ...] = variable("UNMASK_ORIGINS", "", lower, "further origins whose pages may use this server")
    proxies_set: int | None = variable(
        "UNMASK_PROXIES",
        "",
        lambda text: count(text) if text else None,
        "number of trusted proxies in front: which entry of `X-Forwarded-For`, from the end, is the visitor; unset: 1 "
        "on a Space, else 0",
    )

    runs: int = variable("UNMASK_RUNS", "512", count, "open runs of all visitors together")
    visitor_runs: int = variable("UNMASK_VISITOR_RUNS", "64", count, "open runs of one visitor, forks included")
    timelines_mb: int = variable("UNMASK_TIMELINES_MB", "1024", count, "memory for all runs together, in MB")
    visitor_mb: int = variable("UNMASK_VISITOR_MB", "256", count, "memory for the runs of one visitor, in MB")
    connections: int = variable("UNMASK_CONNECTIONS", "2048", count, "open connections, of all visitors together")
    visitor_connections: int = variable("UNMASK_VISITOR_CONNECTIONS", "512", count, "open connections of one visitor")
    cells: int = variable("UNMASK_CELLS", "8192", count, "cells of one canvas, prompt included; a model may see fewer")
    passes: int = variable("UNMASK_PASSES", "4096", count, "planned passes of one run")
    moments: int = variable("UNMASK_MOMENTS", "8192", count, "passes and edits on one branch of a run")
    branches: int = variable("UNMASK_BRANCHES", "64", count, "branches of one run")
    commands: int = variable("UNMASK_COMMANDS", "1000", count, "waiting commands of one run")
    messages: int = variable("UNMASK_MESSAGES", "500", count, "messages a second on one connection")
    races: int = variable("UNMASK_RACES", "16", count, "races at once, of all visitors together")
    answers: int = variable("UNMASK_API_MOST", "128", count, "answers of /v1 in progress at once")
    body_kb: int = variable("UNMASK_BODY_KB", "1024", count, "the largest body or upload, in KB")
    read_timeout: float = variable(
        "UNMASK_READ_TIMEOUT", "30", seconds, "seconds after which a client that stops reading is disconnected"
    )
    memory_mb: int = variable(
        "UNMASK_MEMORY_MB",
        "0",
        count,
        "memory in MB above which new work is refused; 0 is 80 % of the machine",
    )
    idle: float = variable("UNMASK_IDLE", "1800", seconds, "seconds after which a run without viewers is closed")
    grace: float = variable("UNMASK_GRACE", "6", seconds, "seconds that runs get to finish when the server stops")

    keep_hours: float | None = variable(
        "UNMASK_KEEP_HOURS", "", lambda text: seconds(text) if text else None,
        "hours that runs are kept on disk, across restarts; unset: 12 on a private host, 0 (never) on a public one",
    )  # fmt: skip
    cluster: str = variable(
        "UNMASK_CLUSTER", "", str, "where inference runs: empty is this process, `local` is Ray on this machine; else "
        "the address of a Ray cluster, or `auto`",
    )  # fmt: skip
    replicas: str = variable(
        "UNMASK_REPLICAS", "2", str, "workers (Ray replicas) of a cluster: `2`, or `1-8` for as many as the queue needs"
    )
    cores: int = variable(
        "OMP_NUM_THREADS", "0", lambda text: count(text.partition(",")[0]),
        "cores for inference, one worker each; 0 is all that this process may use",
    )  # fmt: skip
    server_name: str = variable("GRADIO_SERVER_NAME", "127.0.0.1", str, "the address that the app listens on")

    shared_rivals: tuple[str, ...] = variable(
        "UNMASK_SHARED_RIVALS", "", lambda text: tuple(part.strip() for part in text.split(",") if part.strip()),
        "remote models whose key visitors may use, separated by commas",
    )  # fmt: skip
    rival_origins: tuple[str, ...] = variable(
        "UNMASK_RIVAL_ORIGINS", "", lower, "private servers that a race may call, such as `http://127.0.0.1:11434`"
    )
    catalogue: Path | None = variable(  # noqa: RUF009
        "UNMASK_CATALOGUE", "", lambda text: Path(text) if text else None, "file that stores downloaded prices"
    )
    data: str = variable("UNMASK_DATA", "", str, "folder or data set with stories to train on")
    cache_home: Path = variable(  # noqa: RUF009
        "XDG_CACHE_HOME", "~/.cache", lambda text: Path(text).expanduser(), "where small files are cached"
    )

    @property
    def cache(self) -> Path:
        """Unmask's folder in the cache folder; it may be read-only."""
        return self.cache_home / "unmask"

    @property
    def proxies(self) -> int:
        """Trusted proxies in front; a Space always has one."""
        return self.proxies_set if self.proxies_set is not None else int(bool(self.space))

    @property
    def for_others(self) -> bool:
        """Whether other people's requests reach this server, by its own name or address or through a proxy."""
        here = self.server_name in ("127.0.0.1", "localhost", "::1")
        return bool(self.space or self.space_host or self.hosts or self.proxies) or not here

    @property
    def public(self) -> bool:
        """Whether other people can use this server; if so, no run is kept unless the owner asks for it."""
        return self.for_others or bool(self.origins)

    @property
    def retention_hours(self) -> float:
        """Hours that runs are kept on disk."""
        return self.keep_hours if self.keep_hours is not None else 0.0 if self.public else 12.0

    def __repr__(self) -> str:
        return "Config(…)"  # keys are in it


def parse_environment(environment: Mapping[str, str]) -> Config:
    values = {}
    for one in fields(Config):
        about = one.metadata
        text = text_of(environment, about["name"]) or about["default"]
        try:
            values[one.name] = about["read"](text)
        except ValueError as error:
            hidden = "" if about["secret"] else f" '{text[:80]}'"
            raise ConfigError(f"{about['name']}{hidden} cannot be read: {error}") from None
    return Config(**values)


@cache
def config() -> Config:
    """The config of this process."""
    return parse_environment(os.environ)


def serve_models(names: Sequence[str]) -> None:
    """Serve these models, in this process and in those that it starts."""
    if broken := [name for name in names if len(split_words(name)) != 1]:
        raise ConfigError(f"'{broken[0]}' has a space or a comma in it: use a link to this folder without them")
    os.environ["UNMASK_MODELS"] = " ".join(names)
    config.cache_clear()


def inherited_environment() -> dict[str, str]:
    """Variables to pass to another process of this project: those that are set and not secret."""
    names = [one.metadata["name"] for one in fields(Config) if not one.metadata["secret"]]
    names += [FORMER[name] for name in names if name in FORMER]
    return {name: os.environ[name] for name in names if name.startswith(("UNMASK_", "DLLM_")) and name in os.environ}


def environment_key(name: str) -> str:
    """The key of a remote model, from the variable that the model's card names. It is stored nowhere else."""
    return os.environ.get(name, "") if name else ""


def lines(environment: Mapping[str, str]) -> list[str]:
    """Every variable with its value and source; for a secret only how many are set."""
    now, rows = parse_environment(environment), []
    for one in fields(Config):
        about, value = one.metadata, getattr(now, one.name)
        text = f"{len(value)} set" if about["secret"] else _plain(value)
        came = "set" if text_of(environment, about["name"]) else "default"
        rows.append(f"{about['name']:26} {text or '(none)':24} {came:8} {about['help'].replace('`', '')}")
    return rows


def table() -> str:
    """The variables as the Markdown table of `docs/config.md`."""
    rows = ["| variable | default | what it sets |", "|---|---|---|"]
    for one in fields(Config):
        about = one.metadata
        rows.append(f"| `{about['name']}` | {about['default'] and '`' + about['default'] + '`'} | {about['help']} |")
    return "\n".join(rows)


def _plain(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else "" if value is None else str(value)
