"""Any schema, any seed: what comes through /v1 is JSON that fits, whole and streamed, of few words or of 152,000."""

import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import openai
import pytest

from tests.long import grown
from tests.serve.process import Server, checkpoint

MANY = int(os.environ.get("SCHEMAS", "40"))
WORDS = 152_000
NAMES = ["name", "age", "city", "tags", "is_new", "maiden name", "a b", "x1", "price"]


def schema(rng: Random, depth: int = 2) -> dict[str, Any]:
    """Anything that the grammar knows."""
    kinds = ["string", "integer", "number", "boolean", "null", "enum", "const", "pattern", "date"]
    kinds += ["object", "array", "anyOf", "nullable"] * bool(depth)
    match rng.choice(kinds):
        case "string":
            return {"type": "string", "minLength": rng.randrange(3), "maxLength": rng.randrange(3, 9)}
        case "integer":
            low = rng.randrange(-50, 1000)
            return {"type": "integer", "minimum": low, "maximum": low + rng.randrange(2000)}
        case "enum":
            return {"enum": rng.sample(["red", "blue", 3, 2.5, None, True, 'a "quoted" one', ["x", 1]], 3)}
        case "const":
            return {"const": rng.choice(["yes", 7, False, {"k": [1, "e"]}])}
        case "pattern":
            return {
                "type": "string",
                "pattern": rng.choice(["^[a-f]{2,4}$", "^x[0-9]+y?$", "^(on|off)$"]),
                "title": "p",
            }
        case "date":
            return {"type": "string", "format": "date"}
        case "object":
            return thing(rng, depth - 1)
        case "array":
            low = rng.randrange(2)
            return {
                "type": "array",
                "items": schema(rng, depth - 1),
                "minItems": low,
                "maxItems": low + rng.randrange(1, 3),
            }
        case "anyOf":
            return {"anyOf": [schema(rng, depth - 1), schema(rng, depth - 1)]}
        case "nullable":
            return {"type": ["boolean", "null"]}
        case kind:
            return {"type": kind}


def thing(rng: Random, depth: int) -> dict[str, Any]:
    names = rng.sample(NAMES, rng.randrange(1, 4))
    required = [name for name in names if rng.random() < 0.7]
    properties = {name: schema(rng, depth) for name in names}
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def whole(rng: Random) -> dict[str, Any]:
    made = thing(rng, 2)
    if rng.random() < 0.2:
        made["$defs"] = {"part": thing(rng, 1)}
        made["properties"]["part"] = {"$ref": "#/$defs/part"}
    return made


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of random numbers with as many words as a large model has, JSON's among them."""
    rng = Random(1)
    parts = ["{", "}", "[", "]", '"', ",", ":", " ", "\n", "true", "false", "null", "-", ".", "e", "0", "12", *NAMES]
    parts += [chr(c) for c in range(97, 123)] + ["the", "ing", "er", "é", "ü", "中", "文", "🌧", "\\"]
    pieces: dict[str, None] = {}
    while len(pieces) < WORDS - 258:
        pieces["".join(rng.choices(parts, k=rng.randrange(1, 6)))] = None
    return checkpoint(tmp_path_factory.mktemp("large") / "model", False, width=16, layers=1, more=tuple(pieces))


MODELS = ("denoiser", "large", "twin")
FEW = {"policy": "confidence", "passes": 5}  # much is written in each, and all of it must fit together
AT_ONCE = 8  # callers, whose passes are thought together where they may


def answered(client: openai.OpenAI, number: int) -> str:
    """What is wrong with one schema's answers, whole and streamed; "refused" where it never ran."""
    rng = Random(number)
    wanted = whole(rng)
    fields: dict[str, Any] = {
        "model": MODELS[number % 3],
        "messages": [{"role": "user", "content": "Lily is five years old and has a red kite."}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "it", "schema": wanted}},
        "seed": number,
        "temperature": rng.choice([0.0, 1.0]),
        "max_tokens": 80 if number % 3 else 120,
    }
    if fields["model"] == "large" or (fields["model"] == "denoiser" and number % 2):
        fields["extra_body"] = FEW

    def streamed() -> str:
        chunks = client.chat.completions.create(**fields, stream=True)
        return "".join(c.choices[0].delta.content or "" for c in chunks)

    with ThreadPoolExecutor(1) as beside:
        pieces = beside.submit(streamed)
        try:
            answer = client.chat.completions.create(**fields).choices[0]
        except openai.BadRequestError as error:  # only that no answer of this length could fit is a reason
            if not re.search("shortest takes|too large", error.message):
                return f"{wanted}: {error.message}"
            with pytest.raises(openai.BadRequestError):
                pieces.result()
            return "refused"
        if answer.finish_reason != "stop":
            return f"{wanted}: it ended with {answer.finish_reason}"
        if (together := pieces.result()) != answer.message.content:
            return f"{wanted}: {answer.message.content} came as {together}"
    try:
        jsonschema.validate(json.loads(answer.message.content or ""), wanted)
    except (ValueError, jsonschema.ValidationError) as error:
        return f"{wanted}: {answer.message.content}: {error}"
    return ""


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("schemas", grown(3, MANY))
def test_every_answer_fits_its_schema(another: Any, large: Path, schemas: int) -> None:
    server: Server = another("--model", "denoiser", "--model", "twin", "--model", f"large=denoiser:{large}")
    client = server.client().with_options(timeout=900)
    with ThreadPoolExecutor(AT_ONCE) as callers:
        wrong = list(callers.map(lambda number: answered(client, number), range(schemas)))
    refused = wrong.count("refused")
    print(f"{schemas} schemas, {refused} refused before they ran")
    assert [one for one in wrong if one not in ("", "refused")] == []
    assert refused <= 0.05 * schemas
