#!/usr/bin/env bash
# The service units against systemd's own judgement: exposure of at most 2.0 of 10.
set -euo pipefail
cd "$(dirname "$0")/.."
limit=2.0

if ! command -v systemd-analyze >/dev/null; then
    echo "units: SKIPPED, systemd-analyze is not there"
    exit 0
fi
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/usr/lib/systemd/system"
cp -r packaging/systemd/. "$root/usr/lib/systemd/system/"
sed -i "s,@bindir@,/usr/bin," "$root"/usr/lib/systemd/system/*.service

for unit in healthmd-receiver@someone healthmd-phone@someone healthmd-archive; do
    judgement=$(systemd-analyze security --root="$root" --offline=true --no-pager "$unit.service" | tail -1)
    level=$(sed -n 's/.*: \([0-9.]*\) .*/\1/p' <<<"$judgement")
    echo "units: $unit.service has exposure $level"
    awk -v level="$level" -v limit="$limit" 'BEGIN { exit !(level != "" && level <= limit) }' || {
        echo "units: more than $limit" >&2
        exit 1
    }
done
