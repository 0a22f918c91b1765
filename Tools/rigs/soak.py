#!/usr/bin/env python3
"""Many small sessions through one pair of processes: descriptors and memory stay flat.

    soak.py                         SESSIONS=1000

Each session exports one day as files or as a strict raw result, in turn. Descriptors and resident memory of both processes are read every
SESSIONS/20 sessions. The first tenth warms up. After it the descriptors may not grow by more than 2, and resident memory by no more than
4 MiB and 4 KiB for each session that is kept for its seven days.
"""
import os
import pathlib
import re
import shutil
import sys
import time
import uuid

import sides
from sides import Stage, table, until

DAYS = 20
RESIDENT_GROWTH = 4 << 20
PER_JOB = 4 << 10


def figures(pid):
    """Open descriptors once the last client is gone, and resident bytes that are the process's own, not pages of files."""
    files = []
    for _ in range(10):
        files.append(len(os.listdir(f"/proc/{pid}/fd")))
        time.sleep(0.01)
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return min(files), int(re.search(r"RssAnon:\s+(\d+) kB", status).group(1)) << 10


def main():
    count, began = int(os.environ.get("SESSIONS", "1000")), time.monotonic()
    folder = sides.scratch("soak")
    stage = Stage(folder, DAYS)
    try:
        stage.prepare()
        stage.start_receiver()
        stage.phone.start()
        until(stage.connected, "the phone connects")
        dates, samples, problems = stage.dates(), [], []
        for number in range(1, count + 1):
            mode, day = ("files", "raw")[number % 2], dates[number % DAYS]
            request = stage.request(str(uuid.uuid4()).upper(), mode) | {"date_range": {"start": day, "end": day}}
            status, body = stage.call("POST", "/v1/exports", request, timeout=120)
            if status != 200:
                problems.append(f"session {number}: {status} {body[:200].decode(errors='replace')}")
                if len(problems) > 5:
                    break
            if number % max(1, count // 20) == 0:
                samples.append((number, *figures(stage.receiver.pid()), *figures(stage.phone.pid())))
        rows = [[number, files, f"{memory >> 10:,}", phone_files, f"{phone_memory >> 10:,}"]
                for number, files, memory, phone_files, phone_memory in samples]
        print(table(["sessions", "receiver descriptors", "receiver KiB", "phone descriptors", "phone KiB"], rows))
        warm = [sample for sample in samples if sample[0] >= count // 10]
        for name, column in (("receiver", 1), ("phone", 3)):
            first, last = warm[0], warm[-1]
            if max(sample[column] for sample in warm) > first[column] + 2:
                problems.append(f"the {name}'s descriptors grow: {[sample[column] for sample in warm]}")
            allowed = RESIDENT_GROWTH + PER_JOB * (last[0] - first[0])
            if last[column + 1] > first[column + 1] + allowed:
                problems.append(f"the {name}'s memory grows by {last[column + 1] - first[column + 1]} bytes")
        for problem in problems:
            print("FAILED", problem)
        print(f"soak: {count} sessions, {time.monotonic() - began:.0f} s, {len(problems)} failures")
        return 1 if problems else 0
    finally:
        stage.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
