#!/usr/bin/env python3
"""Reading an Apple Health export beside other people's readers: the same file, in one run.

    bench-import.py [--days 365] [--records-per-day 2900] [--runs 5] [--large] [--json FILE]

Row 1: counting all records of the bare XML, beside `xmllint --stream --noout`, which parses it and keeps nothing.
Row 2: all biomarker proposals from the zip, beside `healthkit-to-sqlite`, which imports it into SQLite.
Row 3: peak memory of our reader and of our import; with --large also of an export twelve times that size, over 5 GB.

Medians of runs in turn: ours, the peer, ours, the peer. Beside the seconds that passed stands the processor time, which
tells the same on a machine that is busy with something else; healthkit-to-sqlite, which takes minutes, runs once. A peer
that cannot be had is skipped with a message. Exit 1 when a ratio of either time is below 8 or a peak over 64 MiB.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import typing

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("HEALTHMD", str(ROOT / ".build/release/healthmd"))
PEER_PACKAGE = "healthkit-to-sqlite==1.0.1"
MINIMUM_RATIO = 8
MAXIMUM_PEAK_MEBIBYTES = 64
# Twelve years: more than 5 GB.
LARGE_TIMES = 12


class Measured(typing.NamedTuple):
    """What one run of a command took."""

    seconds: float
    processor: float
    peak_mebibytes: float
    output: bytes


def measure(*command):
    """Runs a command to its end, which must be a good one."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        began = time.monotonic()
        process = subprocess.Popen([str(word) for word in command], stdout=output, stderr=errors)
        # wait4, since it tells the times and the peak of this one child.
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        if process.returncode != 0:
            errors.seek(0)
            sys.exit(f"bench-import: {command[0]} ended with {process.returncode}: {errors.read()[-2000:].decode(errors='replace')}")
        return Measured(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output.read())


def median(runs):
    """The medians of the times and the highest peak of some runs."""
    return Measured(
        statistics.median(run.seconds for run in runs), statistics.median(run.processor for run in runs),
        max(run.peak_mebibytes for run in runs), runs[0].output)


def generate(form, path, days, records):
    subprocess.run(
        [sys.executable, ROOT / "Tools/make_health_export.py", form, path, "--days", str(days), "--records-per-day",
         str(records), "--quiet"], check=True)


def xmllint():
    found = shutil.which("xmllint")
    if not found:
        print("bench-import: the peer xmllint is skipped: it is not installed (apt-get install libxml2-utils)")
    return found


def healthkit_to_sqlite(work):
    environment = work / "peers"
    try:
        subprocess.run([sys.executable, "-m", "venv", environment], check=True, capture_output=True)
        subprocess.run(
            [environment / "bin/pip", "install", "--quiet", "--disable-pip-version-check", PEER_PACKAGE], check=True,
            capture_output=True, timeout=300)
        return environment / "bin/healthkit-to-sqlite"
    except (subprocess.SubprocessError, OSError) as error:
        told = (getattr(error, "stderr", None) or b"").decode(errors="replace").strip().splitlines()
        print(f"bench-import: the peer healthkit-to-sqlite is skipped: {told[-1] if told else error}")
        return None


def in_turn(ours, theirs, runs, peer_runs):
    """Runs of ours and of the peer in turn."""
    mine, peers = [], []
    for number in range(runs):
        mine.append(measure(*ours))
        if theirs and number < peer_runs:
            peers.append(measure(*theirs))
    return mine, peers


def imported(work, path, name):
    """Imports an export into a phone store."""
    store = work / name
    run = measure(PROGRAM, "--data-dir", store, "phone", "import", path, "--time-zone", "Europe/Berlin")
    shutil.rmtree(store)
    return run


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--records-per-day", type=int, default=2900)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--large", action="store_true", help="also the peak memory at twelve times the size, over 5 GB")
    parser.add_argument("--work", type=pathlib.Path, help="where the exports are made (the temporary folder)")
    parser.add_argument("--json", type=pathlib.Path, help="also write the result there")
    options = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="healthmd-import.", dir=options.work))
    try:
        result = run(options, work)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(json.dumps(result))
    if options.json:
        options.json.write_text(json.dumps(result) + "\n")
    return 0 if result["holds"] else 1


def run(options, work):
    xml, archive = work / "export.xml", work / "export.zip"
    generate("--xml", xml, options.days, options.records_per_day)
    generate("--zip", archive, options.days, options.records_per_day)
    size = xml.stat().st_size
    holds = True
    result = {"xml_bytes": size, "zip_bytes": archive.stat().st_size, "runs": options.runs, "peaks_mebibytes": {}}

    def line(label, run, bytes=size):
        rate = bytes / (1 << 20) / run.seconds
        print(
            f"  {label:<42}{run.seconds:8.2f} s {run.processor:8.2f} s {rate:7.0f} MiB/s {run.peak_mebibytes:6.0f} MiB",
            flush=True)

    def row(name, key, ours, theirs, label, peer_runs):
        nonlocal holds
        mine, peers = in_turn(ours, theirs, options.runs, peer_runs)
        middle = median(mine)
        line("healthmd " + label, middle)
        result[key] = {"seconds": [run.seconds for run in mine], "processor": [run.processor for run in mine]}
        result["peaks_mebibytes"][label] = round(middle.peak_mebibytes, 1)
        if peers:
            peer = median(peers)
            line(name, peer)
            ratios = peer.seconds / middle.seconds, peer.processor / middle.processor
            holds = holds and min(ratios) >= MINIMUM_RATIO
            print(f"  {'times as fast':<42}{ratios[0]:8.1f}   {ratios[1]:8.1f}")
            result[key] |= {
                "peer_seconds": [run.seconds for run in peers], "peer_processor": [run.processor for run in peers],
                "peer_peak_mebibytes": round(peer.peak_mebibytes, 1), "ratio": round(ratios[0], 2),
                "processor_ratio": round(ratios[1], 2),
            }
        return middle.output

    print(f"an export of {size / (1 << 20):.0f} MiB, {options.days} days; medians of {options.runs} runs in turn")
    print(f"  {'':<42}{'elapsed':>10} {'processor':>10} {'rate':>13} {'peak':>10}")
    lint = xmllint()
    counted = row("xmllint --stream --noout", "count", [PROGRAM, "health-export", "inspect", xml],
                  lint and [lint, "--stream", "--noout", xml], "health-export inspect export.xml", options.runs)
    records = json.loads(counted)["records"]
    print(f"  records counted{records:35,}")
    result["records"] = records
    peer = healthkit_to_sqlite(work)
    row("healthkit-to-sqlite export.zip", "propose", [PROGRAM, "--data-dir", work / "state", "biomarkers", "propose", archive, "--json"],
        peer and [peer, archive, work / "peer.db"], "biomarkers propose export.zip", 1)
    (work / "peer.db").unlink(missing_ok=True)

    def import_row(path, label, bytes):
        run = imported(work, path, "phone")
        line("healthmd " + label, run, bytes)
        result["peaks_mebibytes"][label] = round(run.peak_mebibytes, 1)
        return run

    result["import_seconds"] = import_row(archive, "phone import export.zip", size).seconds
    if options.large:
        xml.unlink()
        archive.unlink()
        generate("--xml", xml, options.days * LARGE_TIMES, options.records_per_day)
        large = xml.stat().st_size
        print(f"an export of {large / (1 << 30):.1f} GiB, {options.days * LARGE_TIMES} days")
        for words in (["health-export", "inspect", xml], ["biomarkers", "propose", xml, "--json"]):
            run = measure(PROGRAM, "--data-dir", work / "state", *words)
            label = " ".join(words[:2]) + " large"
            line("healthmd " + label, run, large)
            result["peaks_mebibytes"][label] = round(run.peak_mebibytes, 1)
        import_row(xml, "phone import large", large)
    result["holds"] = holds and max(result["peaks_mebibytes"].values()) < MAXIMUM_PEAK_MEBIBYTES
    if not result["holds"]:
        print(f"bench-import: below {MINIMUM_RATIO} times, or above {MAXIMUM_PEAK_MEBIBYTES} MiB")
    return result


sys.exit(main())
