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
  "$there/$name/bin/pip" install -q -c "$pins" $packages
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
LIST
if command -v npm > /dev/null; then
  mkdir -p "$there/javascript"
  if ! cmp -s tests/clients/package.json "$there/javascript/package.json" || [ ! -d "$there/javascript/node_modules" ]; then
    cp tests/clients/package.json "$there/javascript/"
    (cd "$there/javascript" && npm install --silent --no-fund --no-audit)
  fi
fi
