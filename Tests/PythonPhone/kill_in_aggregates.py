#!/usr/bin/env python3
"""A receiver that is killed inside roll-ups or inside the archive ends with the same bytes after `healthmd resume`.

    kill_in_aggregates.py HEALTHMD-BINARY WORK-FOLDER

99 days in all formats with weekly, monthly, yearly and range roll-ups, loose and as a ZIP archive. Of each there is one
undisturbed job and one whose receiver is killed (SIGKILL) two times: loose, when the first and when half of the roll-up
files are there; archive, when its first bytes and when nine tenths of it are written, which is among the roll-ups. The
resumed job must give what the undisturbed one gave, but for the times at which the two jobs began.
"""
import json
import os
import pathlib
import re
import sys
import time
import zipfile

from interop import timeless, until
from kill_and_resume import DAYS, FROM, TO, Restartable, generated_phone

COMMAND = ("export", "--from", FROM, "--to", TO, "--use-iphone-settings")
ATTEMPTS = 6


def content_of(receiver):
    """The files, an archive as its entries in order."""
    files = {}
    for name, content in receiver.tree().items():
        if not name.endswith(".zip"):
            files[name] = content
            continue
        with zipfile.ZipFile(receiver.files / name) as archive:
            assert archive.testzip() is None
            files[name] = "\n".join(archive.namelist()).encode()
            for entry in archive.namelist():
                files[f"{name}/{entry}"] = archive.read(entry)
    return timeless(files)


def rollups(receiver):
    return len(list((receiver.files / "Health" / "Rollups").rglob("*.*"))) if receiver.files.exists() else 0


def archive_bytes(receiver):
    """How far the unfinished archive of the job is."""
    return max((p.stat().st_size for p in receiver.state.glob("receiver/sessions/*/finalization/archive.zip")), default=0)


class Missed(Exception):
    """The job was over before the moment of the kill."""


def kill_at(receiver, measure, threshold, is_over):
    """Kills the receiver as soon as the measure reaches the threshold, unless the job is over first."""
    deadline = time.monotonic() + 180
    while measure(receiver) < threshold:
        if is_over():
            raise Missed
        assert time.monotonic() < deadline, f"{measure.__name__} never reached {threshold}"
        time.sleep(0.001)
    receiver.kill()
    if is_over():
        raise Missed
    return measure(receiver)


def disturbed(receiver, measure, thresholds, is_over):
    """One job with a kill at each threshold; returns what the measure said after each kill."""
    client = receiver.start(*COMMAND)
    seen = []
    for threshold in thresholds:
        seen.append(kill_at(receiver, measure, threshold, is_over))
        receiver.launch()
    errors = client.communicate(timeout=120)[1].decode()
    job = re.search(r"job ([0-9A-Fa-f-]{36})", errors).group(1)
    until(receiver.connected, "the phone side comes back", seconds=60)
    answer = json.loads(receiver.run("resume", job))
    assert answer["status"] == "success" and answer["success_count"] == DAYS, answer
    return seen


def paired(program, folder, phone):
    receiver = Restartable(program, folder)
    phone.connect(receiver)
    return receiver


def check(program, folder, phone, name, measure, parts):
    receivers = []
    try:
        whole = paired(program, folder / f"{name}-whole", phone)
        receivers.append(whole)
        peak = [0]
        client = whole.start(*COMMAND)
        while client.poll() is None:
            peak[0] = max(peak[0], measure(whole))
            time.sleep(0.001)
        assert json.loads(client.communicate()[0])["status"] == "success"
        phone.stop()
        expected = content_of(whole)
        size = max(peak[0], measure(whole))
        assert size > 10, f"{measure.__name__} measured nothing"
        for attempt in range(ATTEMPTS):
            receiver = paired(program, folder / f"{name}-killed-{attempt}", phone)
            receivers.append(receiver)
            archive = receiver.files / "Health" / f"Health.md Export {FROM}_to_{TO}.zip"

            def is_over():
                return archive.exists() if name == "archive" else measure(receiver) >= size

            try:
                seen = disturbed(receiver, measure, [max(1, int(size * part)) for part in parts], is_over)
            except Missed:
                phone.stop()
                continue
            phone.stop()
            found = content_of(receiver)
            assert list(found) == list(expected), sorted(set(found) ^ set(expected))
            different = [entry for entry in found if found[entry] != expected[entry]]
            assert not different, different[:5]
            return f"{name}: {len(expected)} files, killed at {seen} of {size}"
        raise AssertionError(f"{name}: the job was over before the kill {ATTEMPTS} times")
    finally:
        phone.stop()
        for receiver in receivers:
            if receiver.process.poll() is None:
                receiver.stop()


def main():
    program, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    phone = generated_phone(program, folder)
    phone.run("settings", "set", "exportFormats=JSON,CSV,Markdown,Obsidian Bases", "generateRangeSummary=true",
              "generateWeeklyRollups=true", "generateMonthlyRollups=true", "generateYearlyRollups=true")
    loose = check(program, folder, phone, "rollups", rollups, (0.01, 0.5))
    phone.run("settings", "set", "archiveExportFiles=true")
    archive = check(program, folder, phone, "archive", archive_bytes, (0.01, 0.9))
    print(f"kill in aggregates: {loose}; {archive}")


if __name__ == "__main__":
    main()
