#!/usr/bin/env bash
# The checks that take too long for every change: each is a make target of its own, run one after the other.
# All of them run, whatever one of them says; the closing table says what passed, what was skipped and what failed.
set -uo pipefail
cd "$(dirname "$0")/.."

# One target a line, with its settings.
checks=(
    "three-years"
    "check-zip"
    "test-extra"
    "bench-api"
    "big-raw SIZE_GIB=4"
    "crash-matrix"
    "power-loss"
    "simulate SEEDS=10000"
    "full-disk"
    "disconnects"
    "soak"
    "archive-crash"
    "archive-decade"
    "fuzz MINUTES=30"
    "bench-import LARGE=1"
    "check-exports"
)

report=$(mktemp)
trap 'rm -f "$report"' EXIT
failed=0
for check in "${checks[@]}"; do
    echo "== make $check"
    started=$SECONDS
    # The settings are words of their own: TARGET NAME=value …
    # shellcheck disable=SC2086
    if make --no-print-directory $check; then
        verdict=passed
    else
        verdict=FAILED
        failed=1
    fi
    printf '%-10s %6d s  make %s\n' "$verdict" $((SECONDS - started)) "$check" >>"$report"
done
echo "== the long checks"
cat "$report"
exit $failed
