"""One session between both sides, watched from outside: what each side journaled, what the client was told, what stands in the end."""
import collections
import http.client
import json
import os
import signal
import sqlite3
import threading
import time

from sides import identities, normalised, tree, until

DAYS = 65
PARTITIONS = 3  # a partition of ours carries at most 32 days
JOB = "0C1A5B5E-0000-4000-8000-00000000C0DE"
PATIENCE = 60.0  # seconds after which a session counts as one that needs a human
CALLS = ("fsync", "fdatasync", "pwrite64", "write", "openat", "ftruncate", "copy_file_range", "rename", "renameat", "renameat2",
         "unlink", "unlinkat", "mkdirat", "linkat", "sendmsg", "sendto")
LOST = (OSError, http.client.HTTPException)


class Violation(Exception):
    """A promise that was not kept."""


# Journals

def rows(path, query):
    """Rows of a journal; the process that owns it may be at work."""
    connection = sqlite3.connect(f"file:{path}?mode=rw", uri=True, timeout=10)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


class Journals:
    """What both sides have made durable."""

    def __init__(self, stage):
        # The phone first: it may never be ahead of the receiver, and the receiver only moves on.
        phone = stage.phone_state / "phone" / "phone.sqlite"
        receiver = stage.receiver_state / "receiver" / "receiver.sqlite"
        sent = rows(phone, "SELECT state, committed_partition_count, completed_item_count, committed_byte_count FROM jobs")
        self.phone_state, self.sent, self.sent_days, self.sent_bytes = sent[0] if sent else (None, 0, 0, 0)
        self.phone_jobs = len(sent)
        self.waiting_items = rows(phone, "SELECT count(*) FROM job_items")[0][0]
        self.waiting_partitions = rows(phone, "SELECT count(*) FROM pending_partitions")[0][0]
        self.partitions = rows(receiver, "SELECT count(*), coalesce(sum(byte_count), 0) FROM partitions")[0]
        self.sessions = [row[0] for row in rows(receiver, "SELECT state FROM sessions")]
        self.jobs = [row[0] for row in rows(receiver, "SELECT state FROM jobs")]
        self.days = rows(receiver, "SELECT source_date, sha256 FROM days ORDER BY source_date")
        self.outputs = rows(receiver, "SELECT path, sha256 FROM outputs ORDER BY path")

    def check_order(self):
        """Holds at every moment: nobody is ahead of what he was told."""
        if self.sent > self.partitions[0]:
            raise Violation(f"the phone counts {self.sent} partitions, the receiver {self.partitions[0]}")
        if self.phone_state == "completed" and self.sessions != ["completed"]:
            raise Violation(f"the phone is done, the receiver's sessions are {self.sessions}")
        if "completed" in self.jobs and self.sessions != ["completed"]:
            raise Violation(f"the job is completed, its sessions are {self.sessions}")

    def check_end(self, mode, files):
        expected = {
            "phone_state": "completed", "sent": PARTITIONS, "sent_days": DAYS, "phone_jobs": 1, "waiting_items": 0,
            "waiting_partitions": 0, "sessions": ["completed"], "jobs": ["completed"]}
        for name, value in expected.items():
            if getattr(self, name) != value:
                raise Violation(f"in the end {name} is {getattr(self, name)!r}, not {value!r}")
        if self.partitions != (PARTITIONS, self.sent_bytes):
            raise Violation(f"partitions of the receiver: {self.partitions}; bytes of the phone: {self.sent_bytes}")
        if len(self.days) != DAYS or len({row[0] for row in self.days}) != DAYS:
            raise Violation(f"{len(self.days)} days are journaled")
        if mode == "files" and dict(self.outputs) != files:
            raise Violation("the receiver's list of what it wrote is not what stands there")


# One point

class Client(threading.Thread):
    """Asks once, waits for the answer; when the receiver goes away it asks how the job stands, and again for a job that was never stored."""

    def __init__(self, stage, mode):
        super().__init__(daemon=True)
        self.stage, self.request = stage, stage.request(JOB, mode)
        self.answer, self.tree, self.order, self.gone = None, None, None, threading.Event()
        self.refusals = 0

    def run(self):
        try:
            asked = False
            while not self.gone.is_set():
                try:
                    if asked:
                        status, body = self.stage.call("GET", f"/v1/exports/{JOB}")
                        asked = status != 404
                    else:
                        status, body = self.stage.call("POST", "/v1/exports", self.request, timeout=PATIENCE + 30)
                        asked = True
                except LOST:
                    asked = True
                    time.sleep(0.02)
                    continue
                if status not in (200, 202, 404, 408, 409):
                    raise Violation(f"the client was answered {status}: {body[:300]}")
                if status == 409 and b"job_persistence_failed" in body:
                    # It could not be stored, and he who asked was told: he asks again.
                    self.refusals += 1
                    asked = False
                    time.sleep(0.2)
                    continue
                if status in (200, 409):
                    # Told that it is over: from this moment on everything must be there.
                    self.tree = tree(self.stage.files)
                    self.order = Journals(self.stage)
                    self.answer = (status, body)
                    return
                time.sleep(0.02)
        except Exception as error:  # noqa: BLE001 — reported by the point
            self.answer = (0, repr(error).encode())


class Reference:
    """What an undisturbed run gives in a mode, and how many calls each side makes."""

    def __init__(self, stage, mode, count=True):
        self.mode = mode
        outcome = run(stage, mode)
        self.tree, self.raw = tree(stage.files), normalised(outcome.body) if mode == "raw" else None
        self.files = json.loads(outcome.body).get("files_written") if mode == "files" else None
        outcome.journals.check_end(mode, self.tree)
        self.calls = {}
        for side in ("receiver", "phone") if count else ():
            trace = stage.folder / "trace"
            run(stage, mode, side, ["strace", "-f", "--seccomp-bpf", "-qq", "-o", str(trace), "-e", "trace=" + ",".join(CALLS)])
            counts = collections.Counter()
            for line in trace.read_text(errors="replace").splitlines():
                thread, _, rest = line.partition(" ")
                call = rest.strip().partition("(")[0]
                if call in CALLS and "resumed" not in line:
                    counts[thread, call] += 1
            # strace counts per thread, so the thread with the most calls decides where the last point is.
            self.calls[side] = {call: max((n for (_, name), n in counts.items() if name == call), default=0) for call in CALLS}


class Outcome:
    def __init__(self, body, client, killed, journals):
        self.body, self.client, self.killed, self.journals = body, client, killed, journals


def ended(stage):
    """Whether the phone has ended its job and knows it."""
    state = rows(stage.phone_state / "phone" / "phone.sqlite", "SELECT state, completion_recorded FROM jobs")
    return bool(state) and state[0][0] in ("completed", "failed", "cancelled", "expired") and state[0][1] == 1


def run(stage, mode, side=None, wrapper=(), after_kill=lambda before: None):
    """One session from the prepared state; `side` runs under `wrapper` and is started again without it when it was killed."""
    stage.reset()
    victim = {"receiver": stage.receiver, "phone": stage.phone, None: None}[side]
    killed = None
    client = Client(stage, mode)

    def revive():
        nonlocal killed
        if victim is None or killed is not None or victim.is_running():
            return
        if victim.process.returncode not in (-signal.SIGKILL, 128 + signal.SIGKILL):
            raise Violation(f"the {side} ended with {victim.process.returncode}")
        killed = identities(stage.files)
        after_kill(killed)
        stage.start_receiver() if victim is stage.receiver else stage.phone.start()

    try:
        if not stage.start_receiver(wrapper if side == "receiver" else ()):
            revive()
        stage.phone.start(wrapper if side == "phone" else ())
        client.start()

        def is_over():
            revive()
            for process in (stage.receiver, stage.phone):
                if not process.is_running() and process is not victim:
                    raise Violation(f"the {process.name} ended by itself")
            if client.answer is None:
                return False
            if client.answer[0] == 0:
                raise Violation("the client: " + client.answer[1].decode())
            return ended(stage)

        until(is_over, "the end without a human", seconds=PATIENCE, every=0.02)
        revive()
    finally:
        client.gone.set()
        stage.stop()
    return Outcome(client.answer[1], client, killed, Journals(stage))



def check_end(stage, reference, outcome):
    """A disturbed session must end as the undisturbed one did, and nobody may have been told more than was true."""
    mode, client = reference.mode, outcome.client
    if client.answer[0] != 200:
        raise Violation(f"the client was answered {client.answer[0]}: {outcome.body[:400].decode(errors='replace')}")
    if client.tree != reference.tree:
        raise Violation(f"success was reported before the files were there: {differing(client.tree, reference.tree)}")
    client.order.check_order()
    if client.order.jobs != ["completed"]:
        raise Violation("success was reported before it was journaled")
    end = tree(stage.files)
    if end != reference.tree:
        raise Violation(f"the destination differs: {differing(end, reference.tree)}")
    if mode == "raw" and normalised(outcome.body) != reference.raw:
        raise Violation("the raw result differs")
    if mode == "files" and json.loads(outcome.body).get("files_written") != reference.files:
        raise Violation(f"files_written is {json.loads(outcome.body).get('files_written')}, not {reference.files}")
    outcome.journals.check_order()
    outcome.journals.check_end(mode, reference.tree)
    check_kept(outcome.killed, identities(stage.files), reference.tree)


def listed(name, every):
    """Words of a variable of the environment; all when it names none of them."""
    return [word for word in os.environ.get(name, "").replace(",", " ").split() if word in every] or list(every)


def check_kept(before, after, names):
    """What stood there before was not written again."""
    again = sorted(name for name, identity in (before or {}).items() if name in names and after.get(name) != identity)
    if again:
        raise Violation(f"written twice: {again[:5]}")


def differing(found, expected):
    return sorted(name for name in {*found, *expected} if found.get(name) != expected.get(name))[:5]
