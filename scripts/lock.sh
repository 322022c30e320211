#!/usr/bin/env bash
# Writes requirements.lock: every package of the Docker image with the hashes of its files. PyTorch's CPU build is left
# out, as it comes from PyTorch's own index, which has its hash; so are the CUDA packages of the default build.
set -euo pipefail
cd "$(dirname "$0")/.."

.venv/bin/python -m uv pip compile --quiet requirements.txt --generate-hashes --no-header --no-annotate \
    --no-emit-index-url --no-emit-find-links --python-version 3.11 --python-platform x86_64-unknown-linux-gnu \
    $(for name in torch triton; do printf -- '--no-emit-package %s ' "$name"; done) |
    awk '/^[a-z]/ { keep = !/^(nvidia|cuda)/ } keep' >requirements.lock
