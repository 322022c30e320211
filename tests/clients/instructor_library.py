"""Instructor: a pydantic model out of a sentence, by a tool and by a JSON schema."""

import os

import instructor
import openai
from pydantic import BaseModel, Field


class Person(BaseModel):
    name: str = Field(max_length=8)
    age: int = Field(ge=1, le=99)
    pets: list[str] = Field(max_length=2)


for mode in (instructor.Mode.TOOLS, instructor.Mode.JSON_SCHEMA):
    client = instructor.from_openai(openai.OpenAI(base_url=os.environ["URL"] + "/v1", api_key="unused"), mode=mode)
    person = client.chat.completions.create(
        model="tiny",
        response_model=Person,
        messages=[{"role": "user", "content": "Lily is five and has a cat."}],
        max_retries=0,
        max_tokens=300,
    )
    assert isinstance(person, Person), mode
