#!/usr/bin/env python3
"""One large transfer over a connection that is cut all the time.

    disconnects.py                  SIZE=2GiB CUTS=1000 SEED=1

A strict raw session of SIZE goes from the phone to the receiver through a TCP proxy of ours, which resets the connection at random moments:
in each partition so often, after so many bytes of it, that the session has exactly CUTS cuts. The transfer must finish with a result that
`healthmd` finds valid, and what is sent between a cut and the next commit may be no more than the partition that was under way.
"""
import json
import os
import random
import re
import selectors
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time

import sides
from sides import Stage, table, until

JOB = "0C1A5B5E-0000-4000-8000-0000000D15C0"
PARTITION = 48 << 20  # the target that our sides agree on
OVERHEAD = 1.01  # frames, records, packets, and the messages beside them
SLACK = 256 << 10  # handshake, hello, request, status
PATIENCE = 120.0  # seconds without any progress


def size_of(text):
    number, unit = re.fullmatch(r"([0-9.]+)\s*([KMG]?)i?B?", text.strip(), re.IGNORECASE).groups()
    return int(float(number) * {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}[unit.upper()])


class Proxy(threading.Thread):
    """Passes bytes on and cuts. `limit` says after how many bytes from the phone the next cut falls; None: never."""

    def __init__(self, target, chance):
        super().__init__(daemon=True)
        self.target, self.chance = target, chance
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.lock = threading.Lock()
        self.sent = self.cuts = self.connections = 0
        self.since = 0  # bytes from the phone since the last cut or commit
        self.limit = None
        self.lost = []  # bytes that each cut threw away at most: what came since the last commit

    def run(self):
        while True:
            phone, _ = self.listener.accept()
            self.connections += 1
            try:
                receiver = socket.create_connection(("127.0.0.1", self.target), timeout=5)
            except OSError:
                phone.close()
                continue
            self.serve(phone, receiver)

    def serve(self, phone, receiver):
        with selectors.DefaultSelector() as selector, phone, receiver:
            for side, other in ((phone, receiver), (receiver, phone)):
                side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                selector.register(side, selectors.EVENT_READ, other)
            while True:
                for key, _ in selector.select():
                    try:
                        data = key.fileobj.recv(1 << 18)
                        if not data:
                            return
                        if key.fileobj is phone and self.count(len(data), key.data, data):
                            # A reset on both sides: nothing in flight arrives.
                            for side in (phone, receiver):
                                side.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                            return
                        if key.fileobj is not phone:
                            key.data.sendall(data)
                    except OSError:
                        return

    def count(self, number, receiver, data):
        """Counts and passes on bytes of the phone; true when it is time to cut."""
        with self.lock:
            limit = self.limit
            passed = number if limit is None else max(0, min(number, limit - self.since))
            self.sent += passed
            self.since += passed
            isOver = limit is not None and self.since >= limit
            if isOver:
                self.cuts += 1
                self.lost.append(self.since)
                self.since, self.limit = 0, None
        if passed:
            receiver.sendall(memoryview(data)[:passed])
        return isOver


def days_for(size):
    """Days and records a day for at least so many bytes of strict raw items (measured: about 1,680 bytes a record)."""
    days = 365 if size >= 1 << 30 else 96 if size >= 256 << 20 else 40
    return days, max(10, int(size / days / 1_600))


def main():
    size, cuts = size_of(os.environ.get("SIZE", "2GiB")), int(os.environ.get("CUTS", "1000"))
    seed = int(os.environ.get("SEED", "1"))
    chance = random.Random(seed)
    days, records = days_for(size)
    days, records = int(os.environ.get("DAYS", days)), int(os.environ.get("RECORDS", records))
    folder = sides.scratch("cuts")
    stage = Stage(folder, days, records_per_day=records)
    try:
        proxy = Proxy(stage.peer_port, chance)
        proxy.start()
        stage.dialled_port = proxy.port
        stage.prepare()
        began = time.monotonic()
        stage.start_receiver()
        stage.phone.start()
        stage.call("POST", "/v1/exports", stage.request(JOB, "raw") | {"wait_timeout_seconds": 5}, timeout=60)
        outcome = follow(stage, proxy, cuts, size, chance)
        seconds = time.monotonic() - began
        committed, checked = outcome
        status, body = fetch(stage, folder)
        stage.stop()
        problems = list(checked)
        if status != "completed":
            problems.append(f"the job is {status}")
        if proxy.cuts < cuts:
            problems.append(f"only {proxy.cuts} cuts")
        most = max(proxy.lost, default=0)
        if most > PARTITION * OVERHEAD + SLACK:
            problems.append(f"a cut threw away {most} bytes")
        print(table(["bytes committed", "bytes sent", "sent again", "a cut, mean", "a cut, most", "cuts", "connections", "seconds"], [[
            committed, proxy.sent, proxy.sent - committed, sum(proxy.lost) // max(1, len(proxy.lost)), most, proxy.cuts,
            proxy.connections, f"{seconds:.0f}"]]))
        for problem in problems:
            print("FAILED", problem)
        print(f"disconnects: {cuts} cuts in {committed / (1 << 20):.0f} MiB, result of {body} bytes, seed {seed}, {len(problems)} failures")
        return 1 if problems else 0
    finally:
        stage.stop()
        shutil.rmtree(folder, ignore_errors=True)


def follow(stage, proxy, cuts, size, chance):
    """Sets the next cut, watches commits, until the job is over. Returns the committed bytes and what was wrong."""
    # Fewer than there will be, since partitions end at items: all cuts have to fall before the end.
    expected = max(1, int(0.9 * size) // PARTITION)
    seen, committed, problems = 0, 0, []
    line = re.compile(r" partition_committed .*index=(\d+) bytes=(\d+)")
    last, moved = (0, 0), time.monotonic()
    while True:
        found = [(int(index), int(number)) for index, number in line.findall(stage.receiver.log.read_text(errors="replace"))]
        with proxy.lock:
            while seen < len(found):
                number = found[seen][1]
                if found[seen][0] != seen:
                    problems.append(f"partition {found[seen][0]} was committed in the place of {seen}")
                # The log is read a moment late: by then bytes of the next partition may have passed.
                if proxy.since > (number + PARTITION) * OVERHEAD + SLACK:
                    problems.append(f"{proxy.since} bytes were sent for partition {seen} of {number}")
                committed += number
                seen += 1
                proxy.since, proxy.limit = 0, None
            # So many cuts fall into each partition that all are used up when the last one is reached.
            due = cuts if seen >= expected - 1 else int(cuts * (seen + 1) / expected)
            if proxy.cuts < due and proxy.limit is None:
                proxy.limit = proxy.since + chance.randrange(1, PARTITION if seen < expected - 1 else 1 << 20)
            now = (proxy.sent, proxy.cuts)
        if now != last:
            last, moved = now, time.monotonic()
        log = stage.phone.log.read_text(errors="replace")[-4_000:]
        if " job_ended " in log:
            return committed, problems
        if time.monotonic() - moved > PATIENCE:
            problems.append("no progress")
            return committed, problems
        time.sleep(0.01)


def fetch(stage, folder):
    """The state of the job, and the length of the result once `healthmd` has checked it."""
    state = json.loads(stage.call("GET", f"/v1/exports/{JOB}?fields=state")[1]).get("state")
    target = folder / "result.json"
    with open(target, "wb") as output:
        done = subprocess.run([stage.program, "--data-dir", str(stage.receiver_state), "status", "--job", JOB, "--fetch", "--quiet"],
                              stdout=output, stderr=subprocess.PIPE, env=stage.environment)
    # An export cannot hold every kind of data, so its strict raw result is complete but for those: exit 1, and the result is written.
    with open(target, "rb") as output:
        begin = output.read(1 << 16)
    if b'"status":"partial_success"' not in begin and b'"status":"success"' not in begin:
        return f"{state}, but its result is refused ({done.returncode}): {begin[:200]} {done.stderr.decode()[-300:]}", 0
    return state, target.stat().st_size


if __name__ == "__main__":
    sys.exit(main())
