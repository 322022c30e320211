#!/usr/bin/env bash
# Installs one part of the requirements from your package index: runtime, torch, dev or javascript.
set -euo pipefail
cd "$(dirname "$0")/.."
export PIP_DISABLE_PIP_VERSION_CHECK=1

say() { printf '%s\n' "$*" >&2; }

new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

make_venv() {
    for python in "${PYTHON3:-python3}" python3.13 python3.12 python3.11; do
        if new_enough "$python"; then
            "$python" -m venv .venv && return
            rm -rf .venv
            say "$python cannot make a virtual environment; on Debian: apt-get install python3-venv"
            exit 1
        fi
    done
    say "Unmask needs Python 3.11 or newer; set its path: make setup PYTHON3=/path/to/python3"
    exit 1
}

# On Linux the default torch installs gigabytes of CUDA. Without an NVIDIA GPU, try the CPU build once; if its index does
# not answer, the default build works too. --no-deps: all other packages come from your index.
small_torch() {
    local torch
    torch=$(grep '^torch==' requirements-torch.txt)
    [ "$(uname -s)" = Linux ] && ! command -v nvidia-smi >/dev/null || return 0
    .venv/bin/python -m pip list --format=freeze 2>/dev/null | grep -q "^$torch" && return 0
    .venv/bin/python -m pip install --quiet --no-deps --timeout 5 --retries 0 \
        --index-url https://download.pytorch.org/whl/cpu "$torch" 2>/dev/null \
        || say "PyTorch's CPU index does not answer; installing the default $torch."
}

# PyTorch, which the app needs for a GPU and for some models alone.
torch() {
    small_torch
    .venv/bin/python -m pip install --quiet -r requirements-torch.txt
}

runtime() {
    [ -x .venv/bin/python ] || make_venv
    .venv/bin/python -m pip install --quiet -r requirements.txt
    ! command -v nvidia-smi >/dev/null || torch
    touch .venv/.runtime
}

dev() {
    torch
    .venv/bin/python -m pip install --quiet -r requirements-dev.txt
    touch .venv/.dev
}

javascript() {
    if ! command -v npm >/dev/null; then
        say "Node.js is not installed, so the JavaScript tools are skipped. Only \`make check\` and \`make test\` use them."
        [ -z "${CI:-}" ] # on CI nothing may be skipped silently
        return
    fi
    npm ci --silent
    .venv/bin/python -m scripts.typescript # the types of the messages
    touch node_modules/.done
}

"$@"
