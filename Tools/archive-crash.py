#!/usr/bin/env python3
"""Kills service, writer and reader of the sealed day archive (SIGKILL) before every durable step, one step a run.

    archive-crash.py [--sample N] [--only EXPRESSION] [--calls EXPRESSION]

Real processes on loopback. For each kind of call that changes a file or makes a change durable, strace's injection ends
the process on entry to the N-th of them (strace counts each kind, in each thread, by itself), for N = 1, 2, 3 … until a run
comes to its end. After each kill:

  - every day that the writer's ledger calls stored is in the service's index, with its file and its size;
  - every day that the reader's mirror records is there as it was sealed;
  - the same command, given again, comes to its end without any other help, and so does a push;
  - a reader with a new profile gets every day, equal to an undisturbed run; edits stand once, with their outcome;
  - no sealed file is left that no day refers to, and no temporary file.

The closing table says how many steps each case had. --sample takes about N points, spread over all cases. SKIPPED, with
the reason, where this system forbids ptrace.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from archive_rig import Failed, PROGRAM, Reader, Service, Writer, check, fresh_copy, make_export, meal, same_days, until
from sides import stop_on_terminate

CALLS = ("fsync,fdatasync,sync_file_range,rename,renameat,renameat2,link,linkat,symlinkat,unlink,unlinkat,ftruncate,"
         "truncate,fallocate,pwrite64,pwritev,pwritev2,copy_file_range,mkdir,mkdirat,rmdir,fchmod,fchmodat")
DAYS = 3
FAR = 10_000


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


class Point:
    """The N-th call of a kind; without one, a run that is only looked at."""

    def __init__(self, call=None, step=0, log=None):
        self.call, self.step, self.log = call, step, log

    def __str__(self):
        return f"{self.call} {self.step}"

    @property
    def command(self):
        """strace, up to the program or the process."""
        if self.call is None:
            return ["strace", "-f", "-o", str(self.log), "-e", f"trace={CALLS}", "-e", "signal=none"]
        return ["strace", "-f", "-o", "/dev/null", "-e", f"trace={self.call}", "-e", "signal=none",
                "-e", f"inject={self.call}:signal=SIGKILL:when={self.step}"]


def injection(point):
    command = point.command
    return [command[0], "-qq", *command[1:]]


def counted(log):
    """How many calls of each kind the busiest thread made."""
    counts = {}
    for line in log.read_text().splitlines():
        found = re.match(r"(\d+) +(\w+)\(", line)
        if found:
            thread, call = found.groups()
            counts.setdefault(call, {}).setdefault(thread, 0)
            counts[call][thread] += 1
    return {call: max(threads.values()) for call, threads in sorted(counts.items())}


def ptrace_refusal():
    if not shutil.which("strace"):
        return "strace is not installed"
    done = subprocess.run([*injection(Point("fsync", FAR)), "true"], capture_output=True, text=True)
    if done.returncode != 0:
        return f"strace cannot trace here: {(done.stderr.strip().splitlines() or ['no word'])[-1]}"
    return None


class World:
    """One copy of service, writer and reader."""

    def __init__(self, folder, port, token_of=None):
        self.folder = folder
        self.service = Service(folder / "service")
        self.service.port = port
        self.writer = Writer(folder / "writer")
        self.reader = Reader(folder / "reader")
        self.handoff_file = folder / "handoff.txt"

    def attach(self, point):
        """strace on the running service, its threads included."""
        log = self.folder / "strace.log"
        with open(log, "wb") as output:
            tracer = subprocess.Popen(
                [*point.command, "-p", str(self.service.process.pid)], stderr=output, stdout=output)
        threads = len(os.listdir(f"/proc/{self.service.process.pid}/task"))
        until(lambda: log.read_bytes().count(b"attached") >= 1 and self.traced() >= threads, "strace attaches")
        return tracer

    def traced(self):
        count = 0
        for task in pathlib.Path(f"/proc/{self.service.process.pid}/task").iterdir():
            count += not re.search(r"TracerPid:\t0\n", (task / "status").read_text())
        return count


# MARK: Stages

def stages(work, port):
    """The states that cases begin with, each made by an undisturbed run, and the days that belong to them."""
    make_export(work / "first.xml", DAYS, 40, seed=1)
    make_export(work / "second.xml", DAYS, 40, seed=2)
    world = World(work / "made", port)
    world.folder.mkdir()
    expected = {}

    def keep(name):
        world.service.stop()
        target = work / "stages" / name
        shutil.copytree(world.folder, target, symlinks=True)
        world.service.start()

    def days():
        fresh = Reader(work / "expected").connect(world.writer.handoff())
        fresh.sync()
        found = fresh.days()
        shutil.rmtree(fresh.home)
        return found

    world.writer.load(work / "first.xml")
    world.service.start()
    keep("started")
    world.writer.init(world.service)
    keep("claimed")
    world.writer.push()
    expected["first"] = days()
    keep("pushed")
    world.reader.connect(world.writer.handoff())
    keep("connected")
    world.reader.sync()
    keep("synced")
    world.reader.write([meal("lunch", 31.5), meal("dinner", 12.25)])
    keep("edit waits")
    world.writer.push()
    expected["edited"] = days()
    keep("edited")
    # Back to where nothing was edited, with another import.
    world.service.stop()
    fresh_copy(work / "stages/synced", world.folder)
    world.service.start()
    world.writer.load(work / "second.xml")
    keep("imported again")
    world.writer.push()
    expected["second"] = days()
    keep("pushed again")
    world.service.stop()
    check(expected["first"] != expected["second"] != expected["edited"], "the stages do not differ")
    return expected


def unregister(world, *names):
    """As before the registrations of a claimed archive."""
    import sqlite3
    with sqlite3.connect(world.service.folder / "index.sqlite") as index:
        for name in names:
            index.execute(f"UPDATE buckets SET {name} = NULL")
        index.execute("DELETE FROM answers")
    with sqlite3.connect(world.writer.state / "archive/writer/writer.sqlite") as ledger:
        for name in names:
            ledger.execute("DELETE FROM setting WHERE name = ?", (f"registered_{name}",))


# MARK: Cases

class Case:
    """What is killed, from which stage on, while doing what."""

    def __init__(self, victim, name, stage, act, days, prepare=None, edits=0, again=None):
        self.victim, self.name, self.stage, self.act, self.days = victim, name, stage, act, days
        self.prepare, self.edits, self.again = prepare, edits, again or act


def handoff(world, **options):
    return world.writer.run("archive", "writer", "handoff", "-o", world.handoff_file, **options)


def handoff_again(world, **options):
    """Whole and private, or not there at all."""
    if world.handoff_file.exists():
        check(stat.S_IMODE(world.handoff_file.stat().st_mode) == 0o600, "the handoff's mode")
        check(world.handoff_file.read_bytes() == world.writer.handoff(), "a part of a handoff")
    else:
        handoff(world, **options)


def connect(world, **options):
    return world.reader.run("connect", "--handoff", "-", input=world.writer.handoff(), **options)


def connect_again(world, **options):
    """Given again it comes to its end, or says that it has."""
    done = connect(world, checked=False)
    check(done.status == 0 or b"holds an archive already" in done.errors, f"connect again: {done.errors}")
    check((world.reader.home / "mirror.json").exists(), "a profile that can neither be used nor connected")


def undo(world, **options):
    name = world.writer.run("archive", "writer", "edits", "--list", wrapper=()).document["changes"][0]["name"]
    return world.writer.run("archive", "writer", "undo", name, **options)


def undo_again(world, **options):
    done = undo(world, checked=False)
    check(done.status == 0 or b"unknown_edit" in done.output + done.errors, f"undo again: {done.output}")


def write(world, **options):
    return world.reader.write([meal("lunch", 31.5), meal("dinner", 12.25)], **options)


def edits(world, **options):
    return world.writer.run("archive", "writer", "edits", **options)


CASES = [
    Case("service", "first start", "nothing", None, "first"),
    Case("service", "claim", "started", lambda w, **o: w.writer.init(w.service, **o), "first"),
    Case("service", "register editor, then reader", "claimed", lambda w, **o: w.writer.push(**o), "first",
         prepare=lambda w: unregister(w, "editor", "reader")),
    Case("service", "register reader", "claimed", lambda w, **o: w.writer.push(**o), "first",
         prepare=lambda w: unregister(w, "reader")),
    Case("service", "first upload", "claimed", lambda w, **o: w.writer.push(**o), "first"),
    Case("service", "replacing upload", "imported again", lambda w, **o: w.writer.push(**o), "second"),
    Case("service", "edit", "synced", write, "edited", edits=2),
    Case("service", "outcome", "edit waits", edits, "edited", edits=2),
    Case("writer", "init", "started", lambda w, **o: w.writer.init(w.service, **o), "first"),
    Case("writer", "first push", "claimed", lambda w, **o: w.writer.push(**o), "first"),
    Case("writer", "push of changed days", "imported again", lambda w, **o: w.writer.push(**o), "second"),
    Case("writer", "edits", "edit waits", edits, "edited", edits=2),
    Case("writer", "push with edits", "edit waits", lambda w, **o: w.writer.push(**o), "edited", edits=2),
    Case("writer", "undo", "edited", undo, "first", again=undo_again),
    Case("writer", "handoff into a file", "pushed", handoff, "first", again=handoff_again),
    Case("reader", "connect", "pushed", connect, "first", again=connect_again),
    Case("reader", "first sync", "connected", lambda w, **o: w.reader.sync(**o), "first"),
    Case("reader", "sync of changed days", "pushed again", lambda w, **o: w.reader.sync(**o), "second"),
    Case("reader", "write", "synced", write, "edited", edits=2),
]


# MARK: Points

def ledger_is_true(world):
    """The service is down. No day may be called stored that is not."""
    if not (world.writer.state / "archive/writer/writer.sqlite").exists():
        return
    try:
        accepted = world.writer.accepted()
    except Exception as error:
        # Killed before its tables were there: nothing is called stored.
        check("no such table" in str(error), f"the ledger: {error}")
        return
    held = {day: (size, blob) for day, size, blob in world.service.rows("SELECT day, byte_count, blob FROM days")} \
        if accepted else {}
    files = world.service.files()
    for day, size in accepted.items():
        # A day that is owed again may have been replaced by what was sent last.
        check(day in held and size in (None, held[day][0]), f"{day} is called stored and is not in the index")
        path = files.get(held[day][1])
        check(path and path.stat().st_size == held[day][0], f"{day} is called stored and has no file")


def mirror_is_true(world, sides):
    """What the mirror records is there, whole."""
    path = world.reader.home / "mirror.json"
    if not path.exists():
        return
    found = world.reader.days()
    for day in world.reader.recorded():
        check(any(found.get(day) == side.get(day) for side in sides), f"{day} is recorded and not what was sealed")


def nothing_is_left(world):
    held = {row[0] for row in world.service.rows("SELECT blob FROM days")}
    files = world.service.files()
    check(set(files) == held, f"files that no day refers to: {sorted(set(files) - held)[:3]}, lost {sorted(held - set(files))[:3]}")
    for path in files.values():
        check(stat.S_IMODE(path.stat().st_mode) == 0o600, f"mode of {path.name}")


def settle(world, case, expected, work):
    """After the kill: the same again, a push, and a look at everything."""
    world.service.start()
    case.again(world) if case.act else world.writer.init(world.service)
    pushed = world.writer.push().document
    check(pushed["owed"] == 0, f"owed after the push: {pushed}")
    check(world.writer.push().document["sent"] == 0, "a further push sent something")
    fresh = Reader(work / "fresh").connect(world.writer.handoff())
    fresh.sync()
    same_days(fresh.days(), expected[case.days], "a new reader")
    shutil.rmtree(fresh.home)
    if (world.reader.home / "mirror.json").exists():
        world.reader.sync()
        same_days(world.reader.days(), expected[case.days], "the old reader")
    if case.edits:
        changes = world.writer.run("archive", "writer", "edits", "--list").document["changes"]
        standing = sorted(change["id"] for change in changes if change["stands"])
        check(standing == ["dinner", "lunch"], f"entries: {changes}")
        listed = world.reader.run("edits").document["edits"]
        check(listed and all(edit["status"] == "applied" and edit["applied"] == case.edits for edit in listed),
              f"outcomes: {listed}")
    world.service.stop()
    nothing_is_left(world)
    for side in (world.writer.state, world.reader.home, world.service.state):
        left = [path for path in side.rglob("*.partial")] if side.exists() else []
        check(not left, f"temporary files: {left[:3]}")


def start_under(world, point):
    """The service's very first start, traced; whether it was killed."""
    log = open(world.service.log, "ab")
    tracer = subprocess.Popen(
        [*injection(point), PROGRAM, "--data-dir", str(world.service.state), "archive", "serve", "--port",
         str(world.service.port)], stderr=log, stdout=log)
    until(lambda: tracer.poll() is not None or "archive service: " in world.service.text(), "the traced start")
    if tracer.poll() is None:
        # The traced program, not strace: it is to stop as it would.
        traced = int(pathlib.Path(f"/proc/{tracer.pid}/task/{tracer.pid}/children").read_text().split()[0])
        try:
            os.kill(traced, signal.SIGTERM)
        except ProcessLookupError:
            # Killed between two looks.
            pass
        return end_of(tracer, traced) != 0
    return True


def end_of(tracer, traced):
    """The end of strace, which now and then stays behind a program that it killed."""
    try:
        return tracer.wait(timeout=20)
    except subprocess.TimeoutExpired:
        try:
            state = pathlib.Path(f"/proc/{traced}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except FileNotFoundError:
            state = "gone"
        tracer.kill()
        tracer.wait()
        if state not in ("Z", "X", "gone"):
            os.kill(traced, signal.SIGKILL)
        check(state in ("Z", "X", "gone"), f"the traced program does not end: state {state}")
        return -signal.SIGKILL


def run_point(case, point, work, port, expected):
    """One run with a kill at one point; false when it came to its end before."""
    folder = work / "run"
    if case.stage == "nothing":
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        shutil.copytree(work / "stages/started/writer", folder / "writer")
    else:
        fresh_copy(work / "stages" / case.stage, folder)
    world = World(folder, port)
    try:
        if case.prepare:
            case.prepare(world)
        if case.act is None:
            was_killed = start_under(world, point)
        elif case.victim == "service":
            world.service.start()
            tracer = world.attach(point)
            done = case.act(world, checked=False)
            if done.status != 0:
                # A killed program is still there while strace lets go of its threads.
                until(lambda: world.service.process.poll() is not None,
                      f"without a kill: {done.status} {done.output} {done.errors}")
            was_killed = world.service.process.poll() is not None
            if not was_killed:
                tracer.send_signal(signal.SIGTERM)
            end_of(tracer, world.service.process.pid)
            world.service.kill()
        else:
            world.service.start()
            done = case.act(world, checked=False, wrapper=injection(point))
            was_killed = done.status in (-signal.SIGKILL, 128 + signal.SIGKILL)
            check(was_killed or done.status == 0, f"without a kill: {done.status} {done.output} {done.errors}")
            world.service.stop()
        ledger_is_true(world)
        mirror_is_true(world, list(expected.values()))
        settle(world, case, expected, work)
        return was_killed
    except Failed as failure:
        world.service.kill()
        raise Failed(f"{case.victim}, {case.name}, {point}: {failure}") from failure
    finally:
        world.service.kill()


def points(counts, index, sample, case_count):
    """Every point, each kind to a step beyond its last one; or a share of a sample."""
    if sample is None:
        return [Point(call, step) for call, count in counts.items() for step in range(1, 2 * count + 3)]
    every = [Point(call, step) for call, count in counts.items() for step in range(1, count + 1)]
    share = max(1, round(sample / case_count))
    # Another place of each case: primes spread them.
    return [every[(7 * index + 11 * number) % len(every)] for number in range(share)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, help="about so many points, spread over the cases")
    parser.add_argument("--only", default="", help="cases whose line matches this expression")
    parser.add_argument("--calls", default="", help="calls whose name matches this expression")
    arguments = parser.parse_args()
    refusal = ptrace_refusal()
    if refusal:
        print(f"SKIPPED archive-crash: {refusal}")
        return 0
    stop_on_terminate()
    cases = [case for case in CASES if re.search(arguments.only, f"{case.victim} {case.name}")]
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    work = pathlib.Path(tempfile.mkdtemp(prefix="healthmd-crash.", dir=base))
    begun = time.monotonic()
    failures, table = [], []
    try:
        port = free_port()
        expected = stages(work, port)
        if arguments.sample and arguments.sample < len(cases):
            cases = [cases[index * len(cases) // arguments.sample] for index in range(arguments.sample)]
        for index, case in enumerate(cases):
            log = work / "calls"
            run_point(case, Point(log=log), work, port, expected)
            counts = {call: count for call, count in counted(log).items() if re.search(arguments.calls, call)}
            killed = {}
            for point in points(counts, index if arguments.sample else None, arguments.sample, len(cases)):
                if killed.get(point.call, (0, False))[1]:
                    continue
                try:
                    was_killed = run_point(case, point, work, port, expected)
                except Failed as failure:
                    failures.append(str(failure))
                    print(f"FAILED {failure}", flush=True)
                    fresh_copy(work / "run", pathlib.Path(tempfile.gettempdir()) / "healthmd-crash-failed")
                    was_killed = True
                # A kind is done with its first run that comes to its end.
                killed[point.call] = (killed.get(point.call, (0, False))[0] + was_killed, not was_killed)
                if len(failures) >= 20:
                    break
            total = sum(count for count, _ in killed.values())
            table.append((case, total))
            kinds = ", ".join(f"{call} {count}" for call, (count, _) in killed.items() if count)
            print(f"{case.victim:8} {case.name:30} {total:4} kills: {kinds}", flush=True)
            if len(failures) >= 20:
                break
    except Failed as failure:
        failures.append(str(failure))
        print(f"FAILED {failure}")
    finally:
        shutil.rmtree(work, ignore_errors=True)
    total = sum(killed for _, killed in table)
    print(f"{'FAILED' if failures else 'PASSED'} archive-crash: {total} kills in {len(table)} cases, {len(failures)} failures, "
          f"{time.monotonic() - begun:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
