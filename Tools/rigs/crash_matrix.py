#!/usr/bin/env python3
"""SIGKILL at the Nth durable system call of either side, N = 1 until a run is clean (docs/DURABILITY.md).

    crash_matrix.py                 every point, both sides, file mode and strict raw mode
    POINTS=200 SEED=7               so many points instead, drawn from all of them
    SIDES=receiver MODES=files      a part of the matrix
    CALLS=fsync,renameat            a part of the system calls
    JOBS=2                          points at the same time (default: the processors, at most 4)

A point: the prepared state is put back, both sides start, one of them under strace, which kills it on entering the Nth call of one kind
(strace counts per thread). A client asks for 65 days in three partitions and waits. The killed side is started again, and nobody does
anything more. In the end the destination and the raw result must be those of an undisturbed run, byte for byte, the journals must say
that each day was applied once, what was written before the kill must not have been written again, and nobody may have been told more than was
true when he was told. Where ptrace is forbidden the rig says SKIPPED and ends with 0.
"""
import collections
import os
import pathlib
import random
import shutil
import subprocess
import sys
import threading
import time

import sides
from session import CALLS, DAYS, Journals, Reference, Violation, check_end, listed, run
from sides import Stage, table, tree


def why_not():
    """The reason why this machine cannot run the rig, or nothing."""
    if not shutil.which("strace"):
        return "strace is not installed"
    done = subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync", "true"],
                          capture_output=True, text=True)
    return None if done.returncode == 0 else "ptrace is forbidden: " + done.stderr.strip()


def killer(call, n):
    # Not with --seccomp-bpf: strace 6.1 then injects no signals.
    return ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}",
            "-e", f"inject={call}:signal=SIGKILL:when={n}"]


def point(stage, reference, side, call, n):
    """Runs a point; returns whether the kill happened."""
    def after_kill(before):
        journals = Journals(stage)
        journals.check_order()
        if "completed" in journals.jobs and tree(stage.files) != reference.tree:
            raise Violation("the job is completed before its files are there")

    outcome = run(stage, reference.mode, side, killer(call, n), after_kill)
    check_end(stage, reference, outcome)
    return outcome.killed is not None


def keep(stage, name):
    """Keeps what a failed point left, in the folder that KEEP names."""
    kept = os.environ.get("KEEP")
    if kept:
        shutil.copytree(stage.folder, pathlib.Path(kept) / name, dirs_exist_ok=True, ignore=shutil.ignore_patterns("template"))


# The matrix

class Series:
    """All points of one call of one side in one mode."""

    def __init__(self, side, mode, call, expected):
        self.side, self.mode, self.call, self.expected = side, mode, call, expected
        self.next, self.clean = 1, None
        self.points = self.identical = self.human = 0

    def failures(self, found):
        return sum(1 for series, *_ in found if series is self)


class Matrix:
    def __init__(self, series, chosen, stages, references):
        self.series, self.chosen, self.stages, self.references = series, chosen, stages, references
        self.lock, self.found, self.began = threading.Lock(), [], time.monotonic()
        self.open = collections.deque(series)

    def take(self):
        """The next point: of the chosen ones, or of the series in turn until each has had a clean run."""
        with self.lock:
            if self.chosen is not None:
                return self.chosen.pop() if self.chosen else None
            while self.open:
                series = self.open.popleft()
                if series.clean is not None:
                    continue
                self.open.append(series)
                series.next += 1
                return series, series.next - 1
            return None

    def work(self, slot):
        stage = self.stages[slot]
        while (taken := self.take()) is not None:
            series, n = taken
            human, problem, killed = False, None, True
            try:
                killed = point(stage, self.references[series.mode], series.side, series.call, n)
            except TimeoutError as error:
                human, problem = True, str(error)
            except (Violation, AssertionError) as error:
                problem = str(error)
            except Exception as error:  # noqa: BLE001 — a fault of the rig is a failed point, with its kind
                problem = f"{type(error).__name__}: {error}"
            with self.lock:
                if not killed and problem is None:
                    series.clean = min(series.clean or n, n)
                    continue
                series.points += 1
                series.identical += problem is None
                series.human += human
                done = sum(each.points for each in self.series)
                if problem:
                    self.keep(stage, series, n, problem)
                if done % 100 == 0:
                    print(f"{done} points, {len(self.found)} failures, {time.monotonic() - self.began:.0f} s", flush=True)

    def keep(self, stage, series, n, problem):
        self.found.append((series, n, problem))
        print(f"FAILED {series.side} {series.mode} {series.call} {n}: {problem}", flush=True)
        keep(stage, f"{series.side}-{series.mode}-{series.call}-{n}")

    def run(self):
        threads = [threading.Thread(target=self.work, args=(slot,)) for slot in range(len(self.stages))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def report(self):
        lines = []
        for series in self.series:
            if not series.points:
                continue
            lines.append([series.side, series.mode, series.call, series.points, series.identical, series.human,
                          series.failures(self.found)])
        lines.append(["all", "", "", *(sum(line[n] for line in lines) for n in range(3, 7))])
        print(table(["side", "mode", "call", "points", "identical", "human needed", "failures"], lines))


def main():
    if (reason := why_not()) is not None:
        print(f"crash matrix: SKIPPED, {reason}")
        return 0
    began = time.monotonic()
    chosen_sides, modes, calls = listed("SIDES", ("receiver", "phone")), listed("MODES", ("files", "raw")), listed("CALLS", CALLS)
    count, seed = int(os.environ.get("POINTS", "0")), int(os.environ.get("SEED", "1"))
    slots = int(os.environ.get("JOBS", str(min(os.cpu_count() or 1, 4))))
    folder = sides.scratch("crash")
    stages = [Stage(folder / f"slot{n}", DAYS) for n in range(slots)]
    try:
        for stage in stages:
            stage.prepare()
            stage.keep()
        references = {mode: Reference(stages[0], mode) for mode in modes}
        series = [Series(side, mode, call, references[mode].calls[side][call])
                  for side in chosen_sides for mode in modes for call in calls if references[mode].calls[side][call]]
        every = [(each, n) for each in series for n in range(1, each.expected + 1)]
        print(f"an undisturbed session: {len(references[modes[0]].tree)} files; {len(every)} points to expect", flush=True)
        chosen = random.Random(seed).sample(every, min(count, len(every))) if count else None
        matrix = Matrix(series, chosen, stages, references)
        matrix.run()
        matrix.report()
        size = f"{count} points drawn with seed {seed}" if count else "every N until a run was clean"
        print(f"crash matrix: {size}, {time.monotonic() - began:.0f} s, {len(matrix.found)} failures")
        return 1 if matrix.found else 0
    finally:
        for stage in stages:
            stage.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
