#!/usr/bin/env python3
"""Disks that are full or fail, under the real program.

    full_disk.py                    POINTS=120 FILLS=24 SEED=1 MODES=files,raw JOBS=4
    CALLS=fdatasync ERRORS=EIO SIDES=phone    a part of the faults

Fills: the receiver's state, its destination, or both lie on small file systems in memory. At a moment of choice no byte is left (or
a few). The job must pause and say why; nothing may be acknowledged that was not stored, no file may show in part. Then space is freed,
nobody does anything, and the session must end as an undisturbed one does.

Faults: strace makes the Nth call of one kind fail with ENOSPC, EIO, EDQUOT or EMFILE, once or for ever after, on either side. Once: the
session ends by itself (a process that the disk failed for good ends with an error, and is started again as its service manager would). For ever: after a while the process is told to stop and started again on a disk that works, and then it ends.
Where mounts or ptrace are forbidden the rig says SKIPPED for that part.
"""
import collections
import os
import pathlib
import queue
import random
import re
import shutil
import sqlite3
import sys
import threading
import time

import crash_matrix
import images
import sides
from images import Memory
from session import CALLS, DAYS, Client, Journals, Outcome, Reference, Violation, check_end, ended, listed
from sides import Stage, table, tree, until

ROOM = 640 << 20  # a receiver admits nothing below about 400 MiB of free space
ERRORS = {"ENOSPC": ("pwrite64", "openat", "ftruncate", "mkdirat", "renameat", "fsync"), "EDQUOT": ("pwrite64", "openat", "mkdirat"),
          "EIO": ("pwrite64", "fsync", "fdatasync", "renameat", "openat", "unlinkat"), "EMFILE": ("openat",)}
BOUND = {"once": 90.0, "for ever": 90.0, "fill": 90.0}  # seconds after which a point counts as one that needs a human
STORM = 2.5  # seconds that a lasting fault lasts
REASON = re.compile(r"disk_full|space|io_error|quota", re.IGNORECASE)


def status(stage, job):
    import json
    try:
        return json.loads(stage.call("GET", f"/v1/exports/{job}")[1])
    except (OSError, ValueError):
        return {}


def waits(stage, client):
    """Whether the job says that it does not go on, and why."""
    found = status(stage, client.request["job_id"])
    return found.get("state") in ("paused", "queued") and REASON.search(found.get("message", "")) is not None


def check_middle(stage, reference, stopped=False):
    """While the disk is bad: nobody is ahead of what was stored, and what shows is whole."""
    try:
        Journals(stage).check_order()
    except sqlite3.OperationalError:
        pass  # the journal itself cannot be opened on a full disk; it is looked at again afterwards
    for name, digest in tree(stage.files).items():
        hidden = pathlib.Path(name).name.startswith(".healthmd-")
        if hidden and stopped:
            raise Violation(f"a temporary stays: {name}")
        if not hidden and name in reference.tree and digest != reference.tree[name]:
            raise Violation(f"a file shows in part: {name}")
        if not hidden and name not in reference.tree:
            raise Violation(f"a file of no one: {name}")


def check_leftovers(stage):
    spools = list((stage.receiver_state / "receiver").rglob("spool-*"))
    if spools:
        raise Violation(f"spools stay: {[path.name for path in spools]}")


class Fault:
    """One call that fails."""

    def __init__(self, side, mode, call, error, n, forever):
        self.side, self.mode, self.call, self.error, self.n, self.forever = side, mode, call, error, n, forever
        self.key = (side, error, "for ever" if forever else "once")

    def __str__(self):
        return f"{self.side} {self.mode}: {self.call} number {self.n}{' and all after it' if self.forever else ''} {self.error}"

    def run(self, slot, references):
        stage, reference = slot.plain, references[self.mode]
        trace = stage.folder / "strace.log"
        trace.unlink(missing_ok=True)
        wrapper = ["strace", "-f", "-qq", "-o", str(trace), "-e", f"trace={self.call}",
                   "-e", f"inject={self.call}:error={self.error}:when={self.n}{'+' if self.forever else ''}"]
        stage.reset()
        victim = stage.receiver if self.side == "receiver" else stage.phone
        client = Client(stage, self.mode)
        restarted = False

        def struck():
            return trace.exists() and "(INJECTED)" in trace.read_text(errors="replace")

        def restart():
            nonlocal restarted
            restarted = True
            if stage.receiver is victim:
                if not stage.start_receiver():
                    raise Violation("the receiver does not start on a disk that works")
            else:
                stage.phone.start()

        def step():
            if not victim.is_running():
                code = victim.process.returncode
                # 127: the loader could not open a library.
                if code < 0 or code > 127:
                    raise Violation(f"the {self.side} died with {code}")
                if restarted:
                    raise Violation(f"the {self.side} ended by itself with {code} on a disk that works")
                restart()
            elif self.forever and not restarted and time.monotonic() - began > STORM:
                check_middle(stage, reference)
                victim.stop()
                check_middle(stage, reference, stopped=self.call != "unlinkat")
                restart()
            if client.answer is None:
                return False
            if client.answer[0] == 0:
                raise Violation("the client: " + client.answer[1].decode())
            return ended(stage)

        try:
            began = time.monotonic()
            if not stage.start_receiver(wrapper if self.side == "receiver" else ()):
                step()
            stage.phone.start(wrapper if self.side == "phone" else ())
            client.start()
            until(step, "the end without a human", seconds=BOUND[self.key[2]], every=0.05)
        finally:
            client.gone.set()
            stage.stop()
        if not struck():
            return None
        check_end(stage, reference, Outcome(client.answer[1], client, None, Journals(stage)))
        check_leftovers(stage)
        return True


class Fill:
    """A disk that becomes full."""

    def __init__(self, place, mode, delay, leaving):
        self.place, self.mode, self.delay, self.leaving = place, mode, delay, leaving
        self.key = ("receiver", f"{place} full", "until freed")

    def __str__(self):
        return f"{self.mode}: {self.place} full after {self.delay:.3f} s, {self.leaving} bytes left"

    def run(self, slot, references):
        stage, reference = slot.small, references[self.mode]
        disks = {"state": [slot.state_disk], "destination": [slot.files_disk], "both": [slot.state_disk, slot.files_disk]}[self.place]
        stage.reset()
        client = Client(stage, self.mode)
        try:
            stage.start_receiver()
            stage.phone.start()
            client.start()
            time.sleep(self.delay)
            for disk in disks:
                disk.fill(self.leaving)
            if client.answer is not None:
                return None
            deadline = time.monotonic() + 20
            while time.monotonic() < deadline and client.answer is None and not (told := client.refusals > 0 or waits(stage, client)):
                time.sleep(0.05)
            if client.answer is None:
                check_middle(stage, reference)
                if not told:
                    found = status(stage, client.request["job_id"])
                    raise Violation(f"not paused with a reason: {found.get('state')}, {found.get('message')}")
            elif client.answer[0] == 200 and client.tree == reference.tree:
                return None  # there was just enough
            for disk in disks:
                disk.resize(ROOM)
            until(lambda: client.answer is not None and ended(stage), "the end without a human", seconds=BOUND["fill"], every=0.05)
        finally:
            client.gone.set()
            stage.stop()
            for disk in disks:
                disk.resize(ROOM)
        check_end(stage, reference, Outcome(client.answer[1], client, None, Journals(stage)))
        check_leftovers(stage)
        return True


class Slot:
    """What one point at a time needs: a stage on the ordinary disk, and one on small disks."""

    def __init__(self, folder, has_mounts):
        self.plain = Stage(folder / "plain", DAYS)
        self.plain.prepare()
        self.plain.keep()
        self.small = self.state_disk = self.files_disk = None
        if has_mounts:
            self.state_disk, self.files_disk = Memory(folder / "state", ROOM), Memory(folder / "files", ROOM)
            self.small = Stage(folder / "small", DAYS, data=folder / "state" / "state", files=folder / "files" / "files")
            self.small.prepare()
            self.small.keep()

    def close(self):
        self.plain.stop()
        if self.small:
            self.small.stop()
            self.state_disk.close()
            self.files_disk.close()


def faults(count, chance, references, modes):
    """So many faults, drawn evenly over side, error, once or for ever, and call."""
    kinds = [(side, error, call, forever) for side in listed("SIDES", ("receiver", "phone")) for error in listed("ERRORS", ERRORS)
             for call in ERRORS[error] if call in listed("CALLS", CALLS) for forever in (False, True)]
    chance.shuffle(kinds)
    chosen = []
    while len(chosen) < count and kinds:
        usable = False
        for side, error, call, forever in kinds:
            mode = chance.choice(modes)
            most = references[mode].calls[side][call]
            if most and len(chosen) < count:
                chosen.append(Fault(side, mode, call, error, chance.randint(1, most), forever))
                usable = True
        if not usable:
            break
    return chosen


def main():
    no_mounts, no_trace = images.why_not("tmpfs"), crash_matrix.why_not()
    for part, reason in (("full disks", no_mounts), ("faults of calls", no_trace)):
        if reason:
            print(f"full disk: {part} SKIPPED, {reason}")
    if no_mounts and no_trace:
        return 0
    if not no_mounts:
        images.leave_mounts_behind()
    began = time.monotonic()
    chance, modes = random.Random(int(os.environ.get("SEED", "1"))), listed("MODES", ("files", "raw"))
    folder = sides.scratch("full")
    slots = []
    try:
        for n in range(int(os.environ.get("JOBS", "4"))):
            slots.append(Slot(folder / f"slot{n}", not no_mounts))
        references = {mode: Reference(slots[0].plain, mode, count=not no_trace) for mode in modes}
        points = [] if no_trace else faults(int(os.environ.get("POINTS", "120")), chance, references, modes)
        if not no_mounts:
            for n in range(int(os.environ.get("FILLS", "24"))):
                place, mode = ("state", "destination", "both")[n % 3], modes[n // 3 % len(modes)]
                # A raw result needs no destination.
                points.append(Fill(place, "files" if place == "destination" and "files" in modes else mode, chance.uniform(0, 0.8),
                                   chance.choice((0, 0, 4_096, 16_384, 65_536, 262_144))))
        chance.shuffle(points)
        waiting, lock = queue.SimpleQueue(), threading.Lock()
        lines, failed = collections.defaultdict(lambda: [0, 0, 0, 0]), []
        for point in points:
            waiting.put(point)

        def work(slot):
            while True:
                try:
                    point = waiting.get_nowait()
                except queue.Empty:
                    return
                human, problem, happened = False, None, True
                try:
                    happened = point.run(slot, references)
                except TimeoutError as error:
                    human, problem = True, str(error)
                except (Violation, AssertionError) as error:
                    problem = str(error)
                except Exception as error:  # noqa: BLE001 — a fault of the rig is a failed point, with its kind
                    problem = f"{type(error).__name__}: {error}"
                with lock:
                    if not happened:
                        continue
                    line = lines[point.key]
                    for column, isTrue in enumerate((True, problem is None, human, problem is not None)):
                        line[column] += isTrue
                    if problem:
                        failed.append(point)
                        print(f"FAILED {point}: {problem}", flush=True)
                        crash_matrix.keep(slot.small if isinstance(point, Fill) else slot.plain, re.sub(r"\W+", "-", str(point)))

        threads = [threading.Thread(target=work, args=(slot,)) for slot in slots]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        rows = [[*key, *line] for key, line in sorted(lines.items())]
        rows.append(["all", "", "", *(sum(row[n] for row in rows) for n in range(3, 7))])
        print(table(["side", "fault", "how long", "points", "identical", "human needed", "failures"], rows))
        print(f"full disk: seed {os.environ.get('SEED', '1')}, {time.monotonic() - began:.0f} s, {len(failed)} failures")
        return 1 if failed else 0
    finally:
        for slot in slots:
            slot.close()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
