#!/usr/bin/env bash
# The main job, end to end, on loopback: a phone side that holds an Apple Health export, a receiver that writes the days.
# Exit 0 only if every file is there, equals what the phone rendered, and its figures agree with the export.
set -euo pipefail
cd "$(dirname "$0")/.."

healthmd=${HEALTHMD:-$PWD/.build/release/healthmd}
zone=Europe/Berlin
from=2026-03-16
to=2026-04-14
days=30

work=$(mktemp -d "${TMPDIR:-/tmp}/healthmd-demo.XXXXXX")
receiver_pid=
phone_pid=
finish() {
    status=$?
    trap - EXIT INT TERM
    for pid in $phone_pid $receiver_pid; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    if [ $status -ne 0 ]; then
        echo "demo: FAILED; last lines of the receiver and the phone side:" >&2
        tail -n 15 "$work/receiver.log" "$work/phone.log" >&2 2>/dev/null || true
    fi
    rm -rf "$work"
    exit $status
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

say() { printf '\n== %s\n' "$*"; }
receiver() { "$healthmd" --data-dir "$work/receiver-state" "$@"; }
phone() { "$healthmd" --data-dir "$work/phone-state" "$@"; }
runtime() { python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$work/receiver-state/receiver/runtime.json" "$1"; }

say "an Apple Health export of 60 days (invented, made by Tools/make_health_export.py)"
python3 Tools/make_health_export.py --zip "$work/export.zip" --days 60 --records-per-day 300 --time-zone $zone

say "the phone side reads it"
phone phone import "$work/export.zip" --time-zone $zone

say "the receiver starts"
mkdir -m 700 "$work/destination"
# Not through the functions above: the pid must be the program's own, so that it hears SIGTERM.
"$healthmd" --data-dir "$work/receiver-state" serve --control-port 0 --peer-port 0 --peer-address 127.0.0.1 --destination "$work/destination" \
    2>"$work/receiver.log" &
receiver_pid=$!
for _ in $(seq 100); do
    [ -e "$work/receiver-state/receiver/runtime.json" ] && break
    kill -0 $receiver_pid
    sleep 0.1
done
echo "control port $(runtime control_port), peer port $(runtime peer_port)"

say "pairing with a 20-digit code"
receiver pair --no-wait >"$work/pairing.json"
python3 -c 'import json,sys; sys.stdout.write(json.load(open(sys.argv[1]))["code"])' "$work/pairing.json" |
    phone phone pair "127.0.0.1:$(runtime peer_port)"
receiver devices

say "the phone side serves"
"$healthmd" --data-dir "$work/phone-state" phone serve 2>"$work/phone.log" &
phone_pid=$!
for _ in $(seq 100); do
    receiver status | python3 -c 'import json,sys; sys.exit(0 if json.load(sys.stdin)["iphone"]["connected"] else 1)' && break
    kill -0 $phone_pid
    sleep 0.1
done

say "healthmd export --from $from --to $to"
receiver export --from $from --to $to

say "healthmd extract --from $from --to $to --all-metrics"
receiver extract --from $from --to $to --all-metrics --output "$work/extract.json"
python3 - "$work/extract.json" $days <<'PYTHON'
import json, sys
result = json.load(open(sys.argv[1]))
assert result["protocol"] == "healthmd.extract_result", result["protocol"]
assert len(result["health_data"]) == int(sys.argv[2]), len(result["health_data"])
print(f"{len(result['health_data'])} documents, receipt: {result['receipt']['status']}")
PYTHON

say "what was written"
(cd "$work/destination" && find . -type f | sort | head -n 12 && echo "… $(find . -type f | wc -l) files in all")
json=$(cd "$work/destination" && find . -name "$from.json")
head -c 700 "$work/destination/$json"
echo " …"

say "each day is there, and its digest is what the phone rendered"
day=$from
checked=0
while :; do
    file=$(find "$work/destination" -name "$day.json")
    note=$(find "$work/destination" -name "$day.md")
    [ -s "$file" ] || { echo "missing: $day.json" >&2; exit 1; }
    [ -s "$note" ] || { echo "missing: $day.md" >&2; exit 1; }
    [ "$(stat -c %a "$file")" = 600 ] || { echo "mode of $day.json is not 600" >&2; exit 1; }
    phone phone show "$day" >"$work/rendered.json"
    written=$(sha256sum <"$file")
    rendered=$(sha256sum <"$work/rendered.json")
    [ "$written" = "$rendered" ] || { echo "$day: the file differs from what the phone rendered" >&2; exit 1; }
    checked=$((checked + 1))
    [ "$day" = "$to" ] && break
    day=$(date -d "$day + 1 day" +%F)
done
[ $checked -eq $days ] || { echo "expected $days days, found $checked" >&2; exit 1; }
echo "$checked days compared"

say "steps, sleep and heart rate of three days against the XML (Python's standard library only)"
Tools/check-days.py "$work/export.zip" $zone \
    "$(find "$work/destination" -name 2026-03-16.json)" \
    "$(find "$work/destination" -name 2026-03-29.json)" \
    "$(find "$work/destination" -name 2026-04-10.json)"

say "both sides stop"
kill -TERM $phone_pid
wait $phone_pid
phone_pid=
kill -TERM $receiver_pid
wait $receiver_pid
receiver_pid=
say "demo: everything held"
