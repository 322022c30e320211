#!/usr/bin/env bash
# Builds the wheel, installs it with the page into a fresh environment beside another package called dllm, and tries it
# from another folder: the command line, a decoder of one's own, a model of a folder, and the page in Chromium.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
place=$root/build/installed
rm -rf "$place"
mkdir -p "$place/trainer/dllm" "$place/elsewhere"

echo 'NAME = "the trainer"' >"$place/trainer/dllm/__init__.py"
cat >"$place/trainer/pyproject.toml" <<'TOML'
[project]
name = "dllm"
version = "1.0"
[build-system]
requires = ["hatchling>=1.27"]
build-backend = "hatchling.build"
TOML

.venv/bin/python -m pip wheel --quiet --no-deps --wheel-dir "$place" .
wheel=$(echo "$place"/unmask-*.whl)
echo "$(basename "$wheel"): $(du -h "$wheel" | cut -f1)"
.venv/bin/python -m venv "$place/venv"
"$place/venv/bin/python" -m pip install --quiet --constraint constraints.txt "$place/trainer" "$wheel[app,hub]" \
    "$(grep '^playwright==' requirements-dev.txt)" "$(grep '^pytest==' requirements-dev.txt)"
CHROMIUM="$(scripts/chromium.sh)"
export CHROMIUM README="$root/README.md" GRADIO_ANALYTICS_ENABLED=False
cp tests/installed/every_part.py "$place/elsewhere/test_installed.py"
echo "[pytest]" >"$place/elsewhere/pytest.ini"
cd "$place/elsewhere"
"$place/venv/bin/python" -m pytest -q -p no:cacheprovider --rootdir . test_installed.py "$@"
