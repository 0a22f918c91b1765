#!/usr/bin/env python3
"""Reading an Apple Health export beside other people's readers: the same file, in one run.

    bench-import.py [--days 365] [--records-per-day 2900] [--runs 3] [--large] [--json FILE]

Row 1: counting all records of the bare XML, beside `xmllint --stream --noout`, which parses it and keeps nothing.
Row 2: all biomarker proposals from the zip, beside `healthkit-to-sqlite`, which imports it into SQLite.
Row 3: peak memory of our reader and of our import; with --large also of an export ten times that size.

Ours is the median of the runs, a peer runs once between them. A peer that cannot be had is skipped with a message.
Exit 1 when a ratio is below 8 or a peak over 64 MiB.
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

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("HEALTHMD", str(ROOT / ".build/release/healthmd"))
PEER_PACKAGE = "healthkit-to-sqlite==1.0.1"
MINIMUM_RATIO = 8
MAXIMUM_PEAK_MEBIBYTES = 64


def measure(*command):
    """Runs a command; returns seconds, peak resident memory in MiB, and its standard output."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        began = time.monotonic()
        process = subprocess.Popen([str(word) for word in command], stdout=output, stderr=errors)
        # wait4, since it tells the peak of this one child.
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        if process.returncode != 0:
            errors.seek(0)
            sys.exit(f"bench-import: {command[0]} ended with {process.returncode}: {errors.read()[-2000:].decode(errors='replace')}")
        return seconds, usage.ru_maxrss / 1024, output.read()


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


def beside(ours, theirs, runs):
    """Seconds and peaks of `runs` runs of ours with the one run of the peer among them."""
    mine, peer = [], None
    for number in range(runs):
        mine.append(measure(*ours))
        if theirs and number == 0:
            peer = measure(*theirs)
    return [m[0] for m in mine], max(m[1] for m in mine), mine[0][2], peer


def imported(work, path, name):
    """Imports an export into a phone store; returns seconds and peak."""
    store = work / name
    seconds, peak, _ = measure(PROGRAM, "--data-dir", store, "phone", "import", path, "--time-zone", "Europe/Berlin")
    shutil.rmtree(store)
    return seconds, peak


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--records-per-day", type=int, default=2900)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--large", action="store_true", help="also the peak memory at ten times the size")
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

    def row(name, key, ours, theirs, label):
        nonlocal holds
        seconds, peak, output, peer = beside(ours, theirs, options.runs)
        median = statistics.median(seconds)
        print(f"  {'healthmd ' + label:<42}{median:8.2f} s {size / (1 << 20) / median:9.0f} MiB/s {peak:7.0f} MiB")
        result[key] = {"seconds": seconds}
        result["peaks_mebibytes"][label] = round(peak, 1)
        if peer:
            ratio = peer[0] / median
            holds = holds and ratio >= MINIMUM_RATIO
            print(f"  {name:<42}{peer[0]:8.2f} s {size / (1 << 20) / peer[0]:9.0f} MiB/s {peer[1]:7.0f} MiB")
            print(f"  times as fast{ratio:37.1f}")
            result[key] |= {"peer_seconds": peer[0], "peer_peak_mebibytes": round(peer[1], 1), "ratio": round(ratio, 2)}
        return output

    print(f"an export of {size / (1 << 20):.0f} MiB, {options.days} days; median of {options.runs}, peak memory")
    lint = xmllint()
    counted = row("xmllint --stream --noout", "count", [PROGRAM, "health-export", "inspect", xml],
                  lint and [lint, "--stream", "--noout", xml], "health-export inspect export.xml")
    records = json.loads(counted)["records"]
    print(f"  records counted{records:35,}")
    result["records"] = records
    peer = healthkit_to_sqlite(work)
    row("healthkit-to-sqlite export.zip", "propose", [PROGRAM, "--data-dir", work / "state", "biomarkers", "propose", archive, "--json"],
        peer and [peer, archive, work / "peer.db"], "biomarkers propose export.zip")
    (work / "peer.db").unlink(missing_ok=True)

    seconds, peak = imported(work, archive, "phone")
    print(f"  {'healthmd phone import export.zip':<42}{seconds:8.2f} s {size / (1 << 20) / seconds:9.0f} MiB/s {peak:7.0f} MiB")
    result["import_seconds"] = seconds
    result["import_peak_mebibytes"] = round(peak, 1)
    if options.large:
        xml.unlink()
        archive.unlink()
        generate("--xml", xml, options.days * 10, options.records_per_day)
        print(f"an export of {xml.stat().st_size / (1 << 30):.1f} GiB, {options.days * 10} days")
        for words in (["health-export", "inspect"], ["biomarkers", "propose"]):
            seconds, peak, _ = measure(PROGRAM, "--data-dir", work / "state", *words, xml, *(["--json"] if words[0] == "biomarkers" else []))
            label = " ".join(words) + " large"
            print(f"  {'healthmd ' + label:<42}{seconds:8.2f} s {xml.stat().st_size / (1 << 20) / seconds:9.0f} MiB/s {peak:7.0f} MiB")
            result["peaks_mebibytes"][label] = round(peak, 1)
    result["holds"] = holds and max(result["peaks_mebibytes"].values()) < MAXIMUM_PEAK_MEBIBYTES
    if not result["holds"]:
        print(f"bench-import: below {MINIMUM_RATIO} times, or above {MAXIMUM_PEAK_MEBIBYTES} MiB")
    return result


sys.exit(main())
