#!/usr/bin/env bash
# Writes requirements.lock: every package that the image installs, with the hashes of its files. PyTorch's CPU build comes
# from PyTorch's own index, where it is verified by the hash in that index; so it, and the CUDA that the plain one brings,
# are left out here.
set -euo pipefail
cd "$(dirname "$0")/.."

.venv/bin/python -m uv pip compile --quiet requirements.txt --generate-hashes --no-header --no-annotate \
    --no-emit-index-url --no-emit-find-links --python-version 3.11 --python-platform x86_64-unknown-linux-gnu \
    $(for name in torch triton; do printf -- '--no-emit-package %s ' "$name"; done) |
    awk '/^[a-z]/ { keep = !/^(nvidia|cuda)/ } keep' >requirements.lock
