#!/bin/sh
# Other people's clients, each in an environment of its own under build/clients, at the versions they are tested at.
set -eu
cd "$(dirname "$0")/.."
there=build/clients
mkdir -p "$there"
while read -r name wanted; do
  stamp="$there/$name/.$(echo "$wanted" | tr -c 'a-z0-9.\n' '-')"
  [ -e "$stamp" ] && continue
  rm -rf "${there:?}/$name"
  python3 -m venv "$there/$name"
  # shellcheck disable=SC2086
  "$there/$name/bin/pip" install -q $wanted
  touch "$stamp"
done <<LIST
anthropic anthropic==2.12.0
instructor instructor==1.17.0
llm llm==0.36
LIST
if command -v npm > /dev/null; then
  mkdir -p "$there/javascript"
  if ! cmp -s tests/clients/package.json "$there/javascript/package.json" || [ ! -d "$there/javascript/node_modules" ]; then
    cp tests/clients/package.json "$there/javascript/"
    (cd "$there/javascript" && npm install --silent --no-fund --no-audit)
  fi
fi
