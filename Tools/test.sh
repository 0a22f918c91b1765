#!/usr/bin/env bash
# Runs the tests (arguments go to swift test) and says again at the end which checks failed: the tests
# run side by side, so that what failed early is thousands of lines away from the summary.
set -uo pipefail
cd "$(dirname "$0")/.."

mkdir -p .build
log=.build/test.log
"${SWIFT:-swift}" test --disable-xctest "$@" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
if [ "$status" -ne 0 ]; then
    {
        echo "test: what failed, in short (the whole output is in $log):"
        grep -A 1 -E 'recorded an issue|error:|Fatal error|signal code' "$log" | cut -c 1-400 | tail -n 24
    } >&2
fi
exit "$status"
