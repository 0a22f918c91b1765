#!/usr/bin/env bash
# Checks against other people's programs, fetched from the package registry into a folder of their own.
# Each script of Tools/test-extra prints PASSED, or SKIPPED with the reason when a package cannot be had.
set -uo pipefail
cd "$(dirname "$0")/.."

failed=0
shopt -s nullglob
for script in Tools/test-extra/*.py; do
    echo "== $script"
    python3 "$script" || failed=1
done
exit $failed
