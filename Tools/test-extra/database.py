#!/usr/bin/env python3
"""The analysis database read by other people's programs: DuckDB and Datasette.

An invented export becomes day documents (`phone show`), these become a database, and its counts and sums, read with
DuckDB, with Datasette over its JSON interface and with Python's sqlite3, must equal those of the documents. Then updates
are killed again and again: nothing is lost, and the tables end as those of an undisturbed update.
"""
import datetime
import json
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HEALTHMD = os.environ.get("HEALTHMD", str(ROOT / ".build/release/healthmd"))
ZONE = "Europe/Berlin"
DAYS = 40
# duckdb-ext-sqlite brings the extension that reads SQLite, and the duckdb that it belongs to.
PACKAGES = ["duckdb", "duckdb-ext-sqlite", "datasette"]


def environment(work):
    """A Python with the packages, or None and why not."""
    place = work / "venv"
    python = place / "bin/python"
    for command in ([sys.executable, "-m", "venv", place],
                    [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return None, (done.stderr.strip() or done.stdout.strip()).splitlines()[-1]
    return python, None


def documents(work):
    """Lossless documents of an invented export, one a day."""
    export, state, folder = work / "export.zip", work / "state", work / "days"
    folder.mkdir()
    subprocess.run([sys.executable, ROOT / "Tools/make_health_export.py", "--zip", export, "--days", str(DAYS),
                    "--records-per-day", "400", "--time-zone", ZONE, "--quiet"], check=True)
    phone = [HEALTHMD, "--data-dir", state, "phone"]
    subprocess.run([*phone, "import", export, "--time-zone", ZONE], check=True, capture_output=True)
    covered = json.loads(subprocess.run([*phone, "status"], check=True, capture_output=True).stdout)
    # The last days: clinical records alone may reach months further back.
    last = find(covered, "last_day")
    assert last, covered
    day = datetime.date.fromisoformat(last) - datetime.timedelta(days=DAYS - 1)
    for _ in range(DAYS):
        shown = subprocess.run([*phone, "show", str(day), "--detail", "lossless"], check=True, capture_output=True)
        (folder / f"{day}.json").write_bytes(shown.stdout)
        day += datetime.timedelta(days=1)
    return folder


def find(value, name):
    """The first member of that name, wherever it is."""
    if isinstance(value, dict):
        if name in value:
            return value[name]
        value = list(value.values())
    for element in value if isinstance(value, list) else []:
        found = find(element, name)
        if found is not None:
            return found
    return None


def expected_of(folder):
    """Counts and sums worked out from the documents."""
    totals = dict.fromkeys(["days", "steps", "samples", "sample_sum", "stages", "stage_seconds", "workouts",
                            "workout_seconds", "route_points", "records"], 0)
    for path in folder.glob("*.json"):
        day = json.loads(path.read_text())
        totals["days"] += 1
        totals["steps"] += day.get("activity", {}).get("steps", 0)
        heart, vitals = day.get("heart", {}), day.get("vitals", {})
        for series in (heart.get("heartRateSamples"), heart.get("hrvSamples"), vitals.get("bloodOxygenSamples"),
                       vitals.get("bloodGlucoseSamples"), vitals.get("respiratoryRateSamples")):
            totals["samples"] += len(series or [])
            totals["sample_sum"] += sum(sample["value"] for sample in series or [])
        for sample in vitals.get("bloodPressureSamples", []):
            totals["samples"] += 2
            totals["sample_sum"] += sample["systolic"] + sample["diastolic"]
        stages = day.get("sleep", {}).get("sleepStages", [])
        totals["stages"] += len(stages)
        totals["stage_seconds"] += sum(stage["durationSeconds"] for stage in stages)
        for workout in day.get("workouts", []):
            totals["workouts"] += 1
            totals["workout_seconds"] += workout["duration"]
            totals["route_points"] += len(workout.get("route", []))
        archive = day.get("healthkit_record_archive", {})
        totals["records"] += len(archive.get("records", [])) + len(archive.get("external_records", []))
    return totals


QUERIES = {
    "days": "SELECT count(*) FROM {}days",
    "steps": "SELECT sum(steps) FROM {}daily_steps",
    "samples": "SELECT count(*) FROM {}samples",
    "sample_sum": "SELECT sum(value) FROM {}samples",
    "stages": "SELECT count(*) FROM {}sleep_stages",
    "stage_seconds": "SELECT sum(seconds) FROM {}sleep_stages",
    "workouts": "SELECT sum(workouts) FROM {}workouts_per_week",
    "workout_seconds": "SELECT sum(minutes) * 60 FROM {}workouts_per_week",
    "route_points": "SELECT count(*) FROM {}route_points",
    "records": "SELECT count(*) FROM {}records",
}


def compare(reader, found, expected):
    for name, value in expected.items():
        assert abs((found[name] or 0) - value) <= 1e-9 * max(1, abs(value)), (reader, name, found[name], value)
    print(f"   {reader}: {expected['days']} days, {expected['samples']} samples, {expected['records']} records,"
          f" {expected['steps']:,} steps: as in the documents")


DUCKDB = """
import duckdb, importlib.util, json, pathlib, sys
connection = duckdb.connect()
folder = pathlib.Path(next(iter(importlib.util.find_spec("duckdb_ext").submodule_search_locations)))
connection.load_extension(str(next(folder.rglob("sqlite_scanner.duckdb_extension"))))
connection.execute(f"ATTACH '{sys.argv[1]}' AS health (TYPE sqlite, READ_ONLY)")
found = {}
for name, sql in json.loads(sys.argv[2]).items():
    found[name] = connection.execute(sql.format("health.")).fetchone()[0]
found["hours"] = connection.execute("SELECT count(DISTINCT date_trunc('hour', time::TIMESTAMPTZ)) FROM health.samples").fetchone()[0]
found["version"] = duckdb.__version__
found["views"] = {name: connection.execute(f"SELECT count(*) FROM health.{name}").fetchone()[0] for name in sys.argv[3:]}
print(json.dumps(found))
"""


def with_duckdb(python, database, expected):
    connection = sqlite3.connect(database)
    views = {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for (name,) in
             connection.execute("SELECT name FROM sqlite_schema WHERE type = 'view'").fetchall()}
    done = subprocess.run([python, "-c", DUCKDB, database, json.dumps(QUERIES), *views], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["hours"] > 0
    # DuckDB runs the text of a view in its own dialect.
    assert found["views"] == views, (found["views"], views)
    compare(f"duckdb {found['version']}", found, expected)


def with_datasette(python, database, expected):
    found = {}
    for name, sql in QUERIES.items():
        done = subprocess.run([python, "-m", "datasette", database, "--setting", "sql_time_limit_ms", "60000", "--get",
                               "/health.json?" + query(sql.format(""))], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr + done.stdout
        found[name] = json.loads(done.stdout)[0]
    version = subprocess.run([python, "-m", "datasette", "--version"], capture_output=True, text=True).stdout.strip()
    compare(version, found, expected)
    page = subprocess.run([python, "-m", "datasette", database, "--get", "/health/sleep_nights.json?_shape=array"],
                          capture_output=True, text=True, check=True)
    assert len(json.loads(page.stdout)) > 0


def query(sql):
    return urllib.parse.urlencode({"sql": sql, "_shape": "arrayfirst"})


def update(folder, database):
    return subprocess.Popen([HEALTHMD, "database", "update", folder, "-o", database], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL)


def rows(database):
    """Everything that comes from the documents, without the instants of the updates."""
    connection = sqlite3.connect(database)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    result = {}
    for (table,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1").fetchall():
        columns = [c[1] for c in connection.execute(f"PRAGMA table_info({table})")]
        columns = [c for c in columns if c not in ("updated_at", "checked_at")]
        where = " WHERE key <> 'updated_at'" if table == "about" else ""
        result[table] = sorted(map(repr, connection.execute(f"SELECT {', '.join(columns)} FROM {table}{where}")))
    return result


def killed(folder, work, undisturbed, seconds):
    """Kills updates of an empty database at a random moment until one ends; what one wrote the next does not lose.

    `seconds` is what an undisturbed update takes; the moments come later and later, so that the end is reached."""
    database, kills, held = work / "killed.sqlite", 0, 0
    randomness = random.Random(7)
    while True:
        process = update(folder, database)
        try:
            process.wait(timeout=randomness.uniform(0.02, 0.4) * seconds * 1.15**kills)
            break
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
        if database.exists() and database.stat().st_size:
            connection = sqlite3.connect(database)
            has_days = connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'days'").fetchone()[0]
            now = connection.execute("SELECT count(*) FROM days").fetchone()[0] if has_days else 0
            connection.close()
            assert now >= held, f"{held} days before, {now} after a kill"
            held = now
        assert kills < 60, "no update came to its end"
    assert process.returncode == 0, process.stdout.read()
    assert rows(database) == undisturbed, "a killed update left other rows"
    print(f"   {kills} killed updates: the same rows in the end")


def main():
    if not os.access(HEALTHMD, os.X_OK):
        sys.exit(f"database: {HEALTHMD} is not there; run `make build` first")
    with tempfile.TemporaryDirectory(prefix="healthmd-database.") as name:
        work = pathlib.Path(name)
        folder = documents(work)
        expected = expected_of(folder)
        assert all(expected.values()), f"the invented export lacks something: {expected}"
        database = work / "health.sqlite"
        started = time.monotonic()
        process = update(folder, database)
        answer = json.loads(process.communicate()[0])
        assert process.returncode == 0 and answer["days"]["added"] == DAYS, answer
        seconds = time.monotonic() - started
        print(f"   update of {DAYS} lossless days: {seconds:.1f} s")
        connection = sqlite3.connect(database)
        compare(f"sqlite3 {sqlite3.sqlite_version}",
                {n: connection.execute(q.format("")).fetchone()[0] for n, q in QUERIES.items()}, expected)
        killed(folder, work, rows(database), seconds)
        python, reason = environment(work)
        if python is None:
            print(f"database: SKIPPED the packages {', '.join(PACKAGES)}: {reason}")
            return
        with_duckdb(python, database, expected)
        with_datasette(python, database, expected)
        print("database: PASSED")


main()
