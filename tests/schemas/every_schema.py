"""The schemas of the sample through /v1, by each bundled model: `make schemas`; ARGS=40 for fewer."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jsonschema
import openai

from tests.schemas.sample import Schema, schemas, validator_of
from tests.serve.process import started

MODELS = ("denoiser", "twin", "fast")
SLOW = 60.0  # seconds


def outcome(client: openai.OpenAI, model: str, schema: Schema) -> tuple[str, float, int]:
    """What becomes of a request, its seconds, and its passes."""
    began = time.monotonic()
    form: Any = {"type": "json_schema", "json_schema": {"name": "sample", "schema": schema}}
    try:
        answer = client.chat.completions.create(
            model=model,
            messages=[{"role": "user", "content": "Fill it in."}],
            response_format=form,
            max_tokens=200,
            seed=0,
        )
    except openai.BadRequestError as error:
        return f"refused: {error.body['message'][:80]}", time.monotonic() - began, 0  # type: ignore[index]
    except openai.APIError as error:
        return f"failed: {error}"[:90], time.monotonic() - began, 0
    seconds = time.monotonic() - began
    choice, passes = answer.choices[0], answer.usage.x_diffusion["passes"]
    if choice.finish_reason == "length":
        return "cut", seconds, passes
    try:
        validator_of(schema).validate(json.loads(choice.message.content or ""))
    except (ValueError, jsonschema.ValidationError) as error:
        return f"invalid: {str(error)[:60]}", seconds, passes
    return "valid", seconds, passes


def main() -> None:
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with TemporaryDirectory() as folder:
        server = started(Path(folder) / "log", *(word for name in MODELS for word in ("--model", name)))
        try:
            for model in MODELS:
                found = [(name, *outcome(server.client(), model, schema)) for name, schema in schemas(many)]
                counts = Counter(what.split(":")[0] for _, what, _, _ in found)
                times = sorted(seconds for _, _, seconds, _ in found)
                over, most = sum(seconds > SLOW for seconds in times), max(passes for *_, passes in found)
                print(f"{model}: {dict(counts)}, over {SLOW:g} s: {over}, median {times[len(times) // 2]:.2f} s, "
                      f"slowest {times[-1]:.1f} s, most passes {most}", flush=True)  # fmt: skip
                for what, times_seen in Counter(what for _, what, _, _ in found if ":" in what).most_common(8):
                    print(f"   {times_seen} × {what}")
        finally:
            server.stop()


if __name__ == "__main__":
    main()
