#!/usr/bin/env bash
# Prints the path of Chromium for the browser tests; as root on Debian, installs it if it is missing.
set -euo pipefail

find_one() {
    for browser in "${CHROMIUM:-chromium}" chromium chromium-browser google-chrome \
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; do
        command -v "$browser" && return
    done
    return 1
}

find_one && exit
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing Debian's Chromium for the browser tests." >&2
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq >&2 && apt-get install -y -qq --no-install-recommends chromium >/dev/null || true
    find_one && exit
fi
echo "The browser tests need Chromium or Chrome: install one, say where it is with CHROMIUM=/path/to/it," \
    "or run the rest with \`make test-quick\`." >&2
exit 1
