"""The bodies of the Lab's requests."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

TASK = 256 << 10  # characters of a task that a visitor sends


class DecoderChoice(BaseModel):
    """A decoder and changes of its settings."""

    model_config = ConfigDict(extra="forbid")
    preset: str = Field(max_length=80)
    changes: dict[str, Any] | None = None  # None: up to five settings, chosen by `settings`


class SweepRequest(BaseModel):
    """The body of `POST /lab`."""

    model_config = ConfigDict(extra="forbid")
    model: str = Field(default="denoiser", max_length=300)
    twin: str = Field(default="twin", max_length=300)
    decoders: list[DecoderChoice] = Field(max_length=40)
    prompts: list[str] = Field(default_factory=list, max_length=500)
    task: str = Field(default="", max_length=TASK)  # prompts with references, as JSONL; instead of `prompts`
    task_name: str = Field(default="task", max_length=80)
    scorer: str = Field(default="", max_length=80)
    seeds: int = Field(default=1, ge=1, le=20)
    length: int = Field(default=64, ge=1, le=512)
    measure: str = Field(default="right", max_length=40)


class CompareRequest(BaseModel):
    """The body of `POST /lab/compare`."""

    model_config = ConfigDict(extra="forbid")
    model: str = Field(default="denoiser", max_length=300)
    prompt: str = Field(max_length=8000)
    length: int = Field(default=64, ge=1, le=512)
    seed: int = Field(default=0, ge=0, lt=2**53)
    decoders: list[DecoderChoice] = Field(min_length=2, max_length=4)


class GameRequest(BaseModel):
    """The body of `POST /lab/game`: the cells chosen so far, turn by turn."""

    model_config = ConfigDict(extra="forbid")
    world: str = Field(default="permutations", max_length=40)
    seed: int = Field(default=0, ge=0, lt=2**53)
    turns: list[list[int]] = Field(max_length=64)


class SavedRequest(BaseModel):
    """The body of `POST /lab/open`: the file of a sweep."""

    model_config = ConfigDict(extra="forbid")
    file: str = Field(max_length=16 << 20)


class SweepAction(BaseModel):
    """The body of `POST /lab/{id}`."""

    model_config = ConfigDict(extra="forbid")
    do: str
    measure: str = "right"
    passes: float | None = None
    seconds: float | None = None
