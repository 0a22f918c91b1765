#!/usr/bin/env python3
"""Three years of records through the whole main job, within bounded memory, checked against the export.

    three-years.py [--healthmd BINARY] [--days 1100] [--records-per-day 2900] [--work FOLDER]

An invented export (Tools/make_health_export.py) → `phone import` → `export --all --use-iphone-settings` in all four
formats with a range, monthly and yearly roll-ups and ZIP. Then: the archive has every day in every format and opens with
Python's zipfile, `unzip -t` and 7z; the figures of every day and the totals of the roll-up equal those that
Tools/check-days.py works out from the XML with the standard library alone; and no process ever held more than 128 MiB.
"""
import argparse
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ZONE = "Europe/Berlin"
# No process of ours may ever have held more (VmHWM of /proc/PID/status).
MEMORY_LIMIT_KIB = 128 * 1024
POLL_SECONDS = 0.02


class Watched:
    """A process whose largest resident size is read until it ends."""

    peaks = {}

    def __init__(self, name, arguments, **options):
        self.name = name
        self.process = subprocess.Popen(arguments, **options)
        self.peaks.setdefault(name, 0)
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        while self.process.poll() is None:
            try:
                for line in open(f"/proc/{self.process.pid}/status"):
                    if line.startswith("VmHWM"):
                        self.peaks[self.name] = max(self.peaks[self.name], int(line.split()[1]))
            except OSError:
                return
            time.sleep(POLL_SECONDS)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=120)


def say(text):
    print(f"== {time.strftime('%H:%M:%S')} {text}", flush=True)


def until(condition, what, seconds=120):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return
        time.sleep(0.1)
    sys.exit(f"three-years: gave up waiting until {what}")


def run(name, arguments, text=None):
    """Runs to the end; returns what it printed. Its size is watched."""
    started = time.monotonic()
    watched = Watched(name, arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output, errors = watched.process.communicate(text.encode() if text else None)
    if watched.process.returncode:
        sys.exit(f"three-years: {' '.join(map(str, arguments))} failed\n{output.decode()}\n{errors.decode()[-2000:]}")
    print(f"   {name}: {time.monotonic() - started:.1f} s, {Watched.peaks[name] / 1024:.0f} MiB", flush=True)
    return output.decode()


def export_of(work, options):
    path = work / "export.zip"
    if path.exists():
        say("the export is there already")
        return path
    say(f"an export of {options.days} days, {options.records_per_day} records a day")
    subprocess.run([sys.executable, ROOT / "Tools/make_health_export.py", "--zip", path, "--days", str(options.days),
                    "--records-per-day", str(options.records_per_day), "--time-zone", ZONE, "--quiet"], check=True)
    return path


def transfer(healthmd, work, export):
    """Import and export; returns the answer of the job and the destination."""
    destination = work / "destination"
    destination.mkdir(mode=0o700)
    receiver = [healthmd, "--data-dir", work / "receiver-state"]
    phone = [healthmd, "--data-dir", work / "phone-state", "phone"]
    say("phone import")
    run("phone import", [*phone, "import", export, "--time-zone", ZONE])
    run("phone settings", [*phone, "settings", "set", "exportFormats=JSON,CSV,Markdown,Obsidian Bases",
                           "archiveExportFiles=true", "generateRangeSummary=true", "generateMonthlyRollups=true",
                           "generateYearlyRollups=true"])
    log = open(work / "receiver.log", "wb")
    serve = Watched("receiver", [*receiver, "serve", "--control-port", "0", "--peer-port", "0", "--peer-address",
                                 "127.0.0.1", "--destination", destination], stdout=log, stderr=log)
    runtime_file = work / "receiver-state/receiver/runtime.json"
    dial = None
    try:
        until(runtime_file.exists, "the receiver is ready")
        runtime = json.loads(runtime_file.read_text())
        code = json.loads(run("pair", [*receiver, "pair", "--no-wait"]))["code"]
        run("phone pair", [*phone, "pair", f"127.0.0.1:{runtime['peer_port']}"], text=code)
        phone_log = open(work / "phone.log", "wb")
        dial = Watched("phone serve", [*phone, "serve"], stdout=phone_log, stderr=phone_log)
        token = (work / "receiver-state/receiver/control-token").read_text().strip()

        def connected():
            request = urllib.request.Request(f"http://127.0.0.1:{runtime['control_port']}/v1/status",
                                             headers={"Authorization": f"Bearer {token}"})
            return json.load(urllib.request.urlopen(request))["iphone"]["connected"]

        until(connected, "the phone side is connected")
        say("export --all --use-iphone-settings")
        answer = json.loads(run("export", [*receiver, "export", "--all", "--use-iphone-settings", "--timeout", "900"]))
        return answer, destination
    finally:
        if dial:
            dial.stop()
        serve.stop()


def check_archive(archive_path, days):
    """Names and integrity; extracts the JSON documents and roll-ups."""
    with zipfile.ZipFile(archive_path) as archive:
        names = archive.namelist()
        assert len(names) == len(set(names)), "an entry stands twice in the archive"
        documents = sorted(n for n in names if n.endswith(".json") and "/" not in n and not n.startswith("_"))
        for suffix in (".json", ".csv", ".md", "-bases.md"):
            found = {n.removesuffix(suffix) for n in names if "/" not in n and n.endswith(suffix) and n[:1] != "_"}
            dates = {n for n in found if len(n) == 10}
            assert len(dates) == days, f"{len(dates)} days as {suffix}, {days} expected"
        damaged = archive.testzip()
        assert damaged is None, damaged
    print(f"   {len(names)} entries, {archive_path.stat().st_size / 1e6:.1f} MB; zipfile: every entry is intact")
    for tool in (["unzip", "-tqq"], ["7z", "t", "-bso0", "-bsp0"]):
        if not shutil.which(tool[0]):
            print(f"   {tool[0]}: SKIPPED, it is not installed")
            continue
        subprocess.run([*tool, archive_path], check=True)
        print(f"   {' '.join(tool)}: intact")
    return documents


def check_rollup(folder, documents):
    """The range roll-up says of steps, distance and energy what the documents add up to."""
    path = next((folder / "Rollups/Range").glob("*.json"))
    rollup = json.loads(path.read_text())
    assert rollup["days_counted"] == len(documents), (rollup["days_counted"], len(documents))
    days = [json.loads((folder / name).read_text()) for name in documents]
    for key, member, decimals in (("steps", "steps", 0), ("active_calories", "activeCalories", 0),
                                  ("walking_running_km", "walkingRunningDistanceKm", 2)):
        # Roll-ups are made of the rounded daily values (export-formats.md 7.2).
        total = sum(round(d["activity"][member], decimals) for d in days if member in d.get("activity", {}))
        metric = next(m for m in rollup["metrics"] if m["canonical_key"] == key)
        found = float(metric["primary_value"].replace(",", ""))
        # Half of the last digit for each day: Python rounds .5 to even, printf from the binary value.
        assert abs(found - total) <= max(0.01, 1e-6 * total), (key, found, total)
        print(f"   roll-up {key}: {metric['primary_value']} = the sum of {metric['days_counted']} days")


def check_database(healthmd, work, folder, documents):
    path = work / "health.sqlite"
    first = json.loads(run("database update", [healthmd, "database", "update", folder, "-o", path]))
    assert first["days"]["added"] == len(documents), first
    again = json.loads(run("database update again", [healthmd, "database", "update", folder, "-o", path]))
    assert again["days"]["unchanged"] == len(documents) and again["days"]["changed"] == 0, again
    print(f"   {path.stat().st_size / 1e6:.1f} MB, {first['days']['total']} days")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--healthmd", default=str(ROOT / ".build/release/healthmd"))
    parser.add_argument("--days", type=int, default=1100)
    parser.add_argument("--records-per-day", type=int, default=2900)
    parser.add_argument("--work", help="keep everything there; an export.zip in it is used again")
    options = parser.parse_args()
    work = pathlib.Path(options.work or tempfile.mkdtemp(prefix="healthmd-three-years.")).resolve()
    work.mkdir(parents=True, exist_ok=True)
    try:
        export = export_of(work, options)
        answer, destination = transfer(options.healthmd, work, export)
        assert answer["status"] == "success", answer
        days = answer["success_count"]
        assert days == answer["total_count"], answer
        # The first night may begin on the day before the first day; nothing else may add one.
        assert options.days <= days <= options.days + 1, f"{days} days of an export of {options.days}"
        print(f"   {days} days, {answer['files_written']} file")
        say("the archive")
        archive = next((destination / "Health").glob("*.zip"))
        documents = check_archive(archive, days)
        folder = work / "unpacked"
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(folder, [n for n in opened.namelist() if n.endswith(".json")])
        check_rollup(folder, documents)
        say("every day against the XML")
        subprocess.run([sys.executable, ROOT / "Tools/check-days.py", "--quiet", export, ZONE,
                        *[folder / name for name in documents]], check=True)
        say("the analysis database")
        check_database(options.healthmd, work, folder, documents)
        say("memory")
        worst = 0
        for name, peak in Watched.peaks.items():
            worst = max(worst, peak)
            print(f"   {peak / 1024:7.1f} MiB  {name}")
        if worst > MEMORY_LIMIT_KIB:
            sys.exit(f"three-years: {worst / 1024:.0f} MiB, at most {MEMORY_LIMIT_KIB // 1024} are allowed")
        say("three-years: everything held")
    finally:
        if not options.work:
            shutil.rmtree(work, ignore_errors=True)


main()
