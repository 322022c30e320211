#!/usr/bin/env bash
# Runs the tests: Python's in parallel processes, a file on one of them, and JavaScript's beside them.
# Arguments go to pytest; with arguments JavaScript's tests are left out. WORKERS says how many processes (0: this one).
set -uo pipefail
cd "$(dirname "$0")/.."
export HF_HUB_OFFLINE=1 GRADIO_ANALYTICS_ENABLED=False
unset PYTHONDONTWRITEBYTECODE # what pytest compiles serves the next run, and every server that a test starts
CHROMIUM="$(scripts/chromium.sh)" || exit 1
export CHROMIUM

workers() {
    local cores
    cores=$(getconf _NPROCESSORS_ONLN)
    echo $((cores > 3 ? 4 : cores + 1)) # one more than cores: tests of the page wait for it half of the time
}

marked="$1" # which tests, as pytest's -m reads it
shift
javascript=
if [ $# = 0 ] && command -v npm >/dev/null; then
    mkdir -p build
    [ "$marked" = "not short" ] && export SEQUENCES=10000 # of random events, in tests/js/stage/random.test.js
    npm test --silent >build/javascript-tests.log 2>&1 &
    javascript=$!
fi

.venv/bin/python -m pytest -n "${WORKERS:-$(workers)}" --dist loadfile --no-loadscope-reorder --durations 10 -m "$marked" "$@"
status=$?

if [ -n "$javascript" ]; then
    if wait "$javascript"; then
        echo "JavaScript: $(grep -E '^. (tests|pass|fail) [0-9]+' build/javascript-tests.log | tr -d '#ℹ' | xargs)"
    else
        grep -A 25 '^ *not ok' build/javascript-tests.log
        status=1
    fi
elif [ $# = 0 ]; then
    echo "Node.js is not here, so JavaScript's tests were left out."
fi
exit $status
