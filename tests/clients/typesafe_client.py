"""TypeSafe's own client: the example of its README as it is, every kind of question, and refusals by their kind."""

import os
import re
from importlib.metadata import metadata

os.environ |= {"TYPESAFE_BASE_URL": os.environ["URL"], "TYPESAFE_API_KEY": "unused", "TYPESAFE_DEFAULT_MODEL": "tiny"}

from typesafe_sdk import (
    Choice,
    Noul,
    Score,
    TypeSafeClient,
    TypeSafeNotFoundError,
    TypeSafeUnprocessableEntityError,
)

readme = str(metadata("typesafe-sdk").get_payload())
examples = re.findall(r"```python\n(.*?)```", readme, re.S)
assert examples
for example in examples:
    exec(example, {})

questions = {
    "owner": Choice(instructions="Who has it?", criteria={"Mia": None, "Tom": None}),
    "happy": Noul(instructions="Is Tom happy?"),
    "size": Score(instructions="How large is it?", criteria=["small", "middle", "large"]),
}
with TypeSafeClient() as client:
    found = client.system_one(state="Mia gave Tom a kite.", questions=questions)
    assert found.choices["owner"].choice in ("Mia", "Tom") and 0 <= found.choices["owner"].confidence <= 1
    assert 0 <= found.nouls["happy"].noul <= 1 and 0 <= found.scores["size"].score <= 2
    for changes, error in (
        ({"model": "nobody"}, TypeSafeNotFoundError),
        ({"state": "A text. " * 2000}, TypeSafeUnprocessableEntityError),
    ):
        try:
            client.system_one(**({"state": "A text.", "questions": questions} | changes))
        except error as refusal:
            assert str(refusal)
        else:
            raise AssertionError(changes)
