#!/usr/bin/env python3
"""The control API beside a crowd: how long `GET /v1/status` takes, and how many descriptors the daemon holds.

    bench-api.py [--connections 1000] [--seconds 20] [--limit-ms 0] [--json FILE]

The crowd is a third each of clients that opened a connection and say nothing, that send a request one byte a second,
and that asked for the result of a raw job and do not read it. They come back as soon as they are cut off. Meanwhile one honest
client asks for the status, a connection for each question. Median, p99 and worst are printed, without and with the
crowd. Exit 0 only if every honest request was answered 200, descriptors and memory stayed bounded, and the daemon gave
the descriptors back when the crowd was gone. With --limit-ms the median must not be above it.
"""
import argparse
import http.client
import json
import os
import pathlib
import resource
import selectors
import shutil
import socket
import sys
import tempfile
import threading
import time

from sides import Sides, peak, stop_on_terminate

HEAD = "GET /v1/exports/{} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {}\r\n\r\n"
# What the daemon may hold at a time: its connections at most, and what it needs itself.
DESCRIPTOR_LIMIT = 2_560
LIMIT_KIB = 96 * 1024


class Crowd(threading.Thread):
    """Keeps `count` bad clients connected."""

    def __init__(self, receiver, job, count):
        super().__init__(daemon=True)
        self.port, self.count = receiver.runtime["control_port"], count
        self.head = HEAD.format(job, receiver.token).encode()
        self.selector = selectors.DefaultSelector()
        self.kinds = {}
        self.dripping = {}
        self.reconnects = -count
        self.leaving = threading.Event()
        self.gathered = threading.Event()

    def run(self):
        for number in range(self.count):
            self.connect(("idle", "drip", "unread")[number % 3])
        self.gathered.set()
        last = time.monotonic()
        while not self.leaving.is_set():
            for key, _ in self.selector.select(0.1):
                self.heard(key.fileobj)
            if time.monotonic() - last >= 1:
                last = time.monotonic()
                self.drip()
        for client in list(self.kinds):
            client.close()

    def connect(self, kind):
        self.reconnects += 1
        client = socket.socket()
        if kind == "unread":
            # A small window, so that the answer does not fit into the kernel's buffers.
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        client.setblocking(False)
        client.connect_ex(("127.0.0.1", self.port))
        self.kinds[client] = kind
        if kind == "drip":
            self.dripping[client] = 0
        self.selector.register(
            client, selectors.EVENT_WRITE if kind == "unread" else selectors.EVENT_READ)

    def heard(self, client):
        if self.kinds[client] == "unread":
            try:
                client.send(self.head)
                self.selector.unregister(client)
                self.selector.register(client, selectors.EVENT_READ)
                self.kinds[client] = "asked"
            except OSError:
                self.replace(client, "unread")
            return
        kind = self.kinds[client]
        try:
            # Of a large answer nothing is read but a byte now and then; anything else is the daemon's farewell.
            data = client.recv(1 if kind == "asked" else 4096)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if kind == "asked":
            if data:
                self.selector.unregister(client)
                self.kinds[client] = "stalled"
                return
            kind = "unread"
        if not data or kind != "unread":
            self.replace(client, kind)

    def replace(self, client, kind):
        try:
            self.selector.unregister(client)
        except KeyError:
            pass
        del self.kinds[client]
        self.dripping.pop(client, None)
        client.close()
        if not self.leaving.is_set():
            self.connect(kind)

    def drip(self):
        for client, position in list(self.dripping.items()):
            try:
                client.send(self.head[position:position + 1])
                # The last byte is never sent: the request stays half sent.
                self.dripping[client] = min(position + 1, len(self.head) - 2)
            except BlockingIOError:
                pass
            except OSError:
                self.replace(client, "drip")


def ask(receiver):
    """Seconds that one status request took; raises when it was not answered 200."""
    began = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", receiver.runtime["control_port"], timeout=30)
    try:
        connection.request("GET", "/v1/status", headers={"Authorization": f"Bearer {receiver.token}"})
        response = connection.getresponse()
        body = response.read()
        if response.status != 200 or json.loads(body)["receiver"] != "running":
            raise RuntimeError(f"HTTP {response.status}")
        return time.monotonic() - began
    finally:
        connection.close()


def descriptors(receiver):
    return len(os.listdir(f"/proc/{receiver.pid}/fd"))


def honest(receiver, seconds):
    """Times of requests one after the other, failures, and the most descriptors seen."""
    times, failures, most = [], 0, 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            times.append(ask(receiver))
        except (OSError, RuntimeError, http.client.HTTPException, ValueError):
            failures += 1
        most = max(most, descriptors(receiver))
        time.sleep(0.01)
    return sorted(times), failures, most


def facts(times):
    if not times:
        return {"requests": 0, "median_ms": None, "p99_ms": None, "worst_ms": None}
    def at(part):
        return round(1000 * times[min(len(times) - 1, int(part * len(times)))], 2)
    return {"requests": len(times), "median_ms": at(0.5), "p99_ms": at(0.99), "worst_ms": at(1)}


def measure(options, work):
    # A result of some MiB: more than the kernel's buffers take.
    sides = Sides(work, 2, records_per_day=2000)
    receiver = sides.receiver
    try:
        sides.client("export", "--raw", "--all", "--allow-partial", "--output", work / "raw.json")
        job = json.loads(sides.client("jobs", "--json"))["jobs"][0]["job_id"]
        alone, alone_failures, _ = honest(receiver, min(5, options.seconds))
        before = descriptors(receiver)
        crowd = Crowd(receiver, job, options.connections)
        crowd.start()
        crowd.gathered.wait(60)
        beside, failures, most = honest(receiver, options.seconds)
        held = descriptors(receiver)
        crowd.leaving.set()
        crowd.join(30)
        # Lingering connections take a second to go, half-sent requests until their deadline of ten.
        end = time.monotonic() + 20
        while descriptors(receiver) > before + 5 and time.monotonic() < end:
            time.sleep(0.1)
        after = descriptors(receiver)
        return {"connections": options.connections, "alone": facts(alone), "beside": facts(beside),
                "failures": alone_failures + failures, "reconnects": crowd.reconnects,
                "descriptors": {"before": before, "most": most, "held": held, "after": after}, "daemon_peak_kib": peak(receiver.pid)}
    finally:
        sides.stop()


def main():
    stop_on_terminate()
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--connections", type=int, default=1000)
    arguments.add_argument("--seconds", type=float, default=20)
    arguments.add_argument("--limit-ms", type=float, default=0)
    arguments.add_argument("--json")
    options = arguments.parse_args()
    wanted = options.connections + 200
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))
    work = pathlib.Path(tempfile.mkdtemp(prefix="healthmd-bench-api."))
    try:
        result = measure(options, work)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"GET /v1/status beside {options.connections} idle, half-sent and unread connections")
    for name, key in (("alone", "alone"), ("beside the crowd", "beside")):
        row = result[key]
        print(f"  {name:18} {row['requests']:6} requests   median {row['median_ms']} ms   p99 {row['p99_ms']} ms   "
              f"worst {row['worst_ms']} ms")
    held = result["descriptors"]
    print(f"  descriptors of the daemon: {held['before']} before, at most {held['most']}, {held['held']} at the end of "
          f"the crowd, {held['after']} after")
    print(f"  the crowd came back {result['reconnects']} times; peak memory of the daemon "
          f"{result['daemon_peak_kib'] / 1024:.0f} MiB")
    # A crowd that is not there proves nothing.
    is_there = held["held"] >= held["before"] + 0.9 * options.connections
    failed = (result["failures"] > 0 or not is_there or held["most"] > DESCRIPTOR_LIMIT
              or held["after"] > held["before"] + 5 or result["daemon_peak_kib"] >= LIMIT_KIB
              or not result["beside"]["requests"]
              or (options.limit_ms and result["beside"]["median_ms"] > options.limit_ms))
    if result["failures"]:
        print(f"  FAILED: {result['failures']} honest requests were not answered")
    elif failed:
        print("  FAILED: a bound does not hold")
    print(json.dumps(result))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(result) + "\n")
    return 1 if failed else 0


sys.exit(main())
