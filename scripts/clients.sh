#!/bin/sh
# Installs other projects' API clients as pinned in requirements-clients.txt, each in an environment under build/clients.
set -eu
cd "$(dirname "$0")/.."
there=build/clients
pins=requirements-clients.txt
mkdir -p "$there"
while read -r name packages; do
  [ "$there/$name/.done" -nt "$pins" ] && continue
  rm -rf "${there:?}/$name"
  .venv/bin/python -m venv "$there/$name"
  # shellcheck disable=SC2086
  pins_here=$pins
  [ "$name" = instructor-suite ] && pins_here=/dev/null  # it is tested with an older client of Anthropic's
  "$there/$name/bin/pip" install -q -c "$pins_here" $packages
  touch "$there/$name/.done"
done <<LIST
anthropic anthropic
instructor instructor
langchain langchain-openai langchain-tests
litellm litellm
llm llm
lm-eval lm-eval[api]
notebook nbclient .[notebook]
schemathesis schemathesis
typesafe typesafe-sdk
openai openai[aiohttp]==3.57.0 pytest pytest-asyncio inline-snapshot rich griffe dirty-equals
anthropic-suite anthropic[aiohttp] pytest pytest-asyncio inline-snapshot rich griffe dirty-equals respx httpx2 http-snapshot[httpx]==0.1.9
instructor-suite instructor==1.17.0 pytest pytest-asyncio anthropic==0.93.0 jsonref python-dotenv
outlines outlines pillow openai pytest pytest-asyncio
pydantic-ai pydantic-ai-slim[openai,anthropic] pytest
LIST
# Their own tests are in the archives of their source, not in their wheels.
while read -r environment name; do
  version=$("$there/$environment/bin/python" -c "import importlib.metadata as m; print(m.version('$name'))")
  [ -d "$there/sources/$name" ] && [ "$there/sources/$name" -nt "$pins" ] && continue
  rm -rf "${there:?}/sources/$name"
  mkdir -p "$there/sources/$name"
  .venv/bin/pip download -q --no-deps --no-binary "$name" -d "$there/sources" "$name==$version"
  tar -xzf "$there/sources/$name-$version.tar.gz" -C "$there/sources/$name" --strip-components 1
done <<LIST
openai openai
anthropic-suite anthropic
instructor-suite instructor
outlines outlines
LIST
if command -v npm > /dev/null; then
  mkdir -p "$there/javascript"
  if ! cmp -s tests/clients/package.json "$there/javascript/package.json" || [ ! -d "$there/javascript/node_modules" ]; then
    cp tests/clients/package.json "$there/javascript/"
    (cd "$there/javascript" && npm install --silent --no-fund --no-audit)
  fi
fi
