#!/usr/bin/env python3
"""Beside 200 slow clients on the peer port a phone connects and delivers, and the receiver's descriptors stay few.

    crowd.py HEALTHMD-BINARY WORK-FOLDER

The clients never get further than the door: idle ones, half a length, a packet byte by byte, a packet without its end, a request with a
wrong proof whose answer nobody reads. Whoever is closed dials again. One more phone is paired and never reads what it is sent.
Exit 0 and one line when the export is whole, nobody else got in, and every descriptor and thread comes back.
"""
import json
import os
import pathlib
import selectors
import socket
import struct
import subprocess
import sys
import threading
import time
import uuid

import manual_ip
from interop import CAPABILITIES, ZONE, Phone, Receiver, until

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CLIENTS, DAYS = 200, 11
AGAIN = 0.5  # seconds after which a client that was closed dials again
FIRST, LAST = "2026-04-04", "2026-04-14"
# Waiting peers without a proof, with one, and connected phones (extensions.md 2), besides a few on their way in and out.
DOOR = 16 + 16 + 8 + 24


def wrong_proof():
    packet = {"pairingRequest": {"_0": {
        "protocolVersion": 2, "deviceName": "stranger", "clientPublicKey": manual_ip.b64(os.urandom(32)),
        "clientNonce": manual_ip.b64(os.urandom(32)), "codeVerifier": manual_ip.b64(os.urandom(32)),
        "clientInstallationID": str(uuid.uuid4()).upper()}}}
    return manual_ip.framed(json.dumps(packet).encode())


class Crowd(threading.Thread):
    """All slow clients, on one thread. Each says at most one byte at a time, and dials again after a while when it was closed."""

    KINDS = (
        lambda: b"",  # idle
        lambda: b"\0\0\0",  # half a length
        lambda: b"",  # byte by byte, see trickle
        lambda: struct.pack(">Q", 60_000) + b'{"pairingRequest"',  # no end
        wrong_proof)  # the answer is not read

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.over = port, threading.Event()
        self.selector, self.due = selectors.DefaultSelector(), [(0.0, n) for n in range(CLIENTS)]
        self.dialled, self.closed, self.trickling, self.unread = 0, 0, {}, []

    def run(self):
        said = time.monotonic()
        while not self.over.is_set():
            now = time.monotonic()
            for when, n in [entry for entry in self.due if entry[0] <= now]:
                self.due.remove((when, n))
                self.dial(n)
            for key, _ in self.selector.select(timeout=0.05):
                self.leave(key.fileobj, key.data)
            if now - said > 0.2:
                said = now
                self.trickle()

    def dial(self, n):
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        try:
            client.connect(("127.0.0.1", self.port))
            client.setblocking(False)
            client.send(self.KINDS[n % len(self.KINDS)]())
        except OSError:
            client.close()
            self.due.append((time.monotonic() + AGAIN, n))
            return
        self.dialled += 1
        if n % len(self.KINDS) == 2:
            self.trickling[client] = iter(struct.pack(">Q", 60_000) + b'{"pairingRequest":{"_0":{' + b" " * 60_000)
        # Readable means: something was said, or the end. Only the end is looked at.
        self.selector.register(client, selectors.EVENT_READ, n)

    def leave(self, client, n):
        try:
            if client.recv(1, socket.MSG_PEEK):
                if n % len(self.KINDS) == 4:
                    self.selector.unregister(client)  # never read; it ends with the crowd
                    self.trickling.pop(client, None)
                    self.unread.append(client)
                    self.due.append((time.monotonic() + AGAIN, n))
                    return
                client.recv(65_536)
                return
        except OSError:
            pass
        self.selector.unregister(client)
        self.trickling.pop(client, None)
        client.close()
        self.closed += 1
        self.due.append((time.monotonic() + AGAIN, n))

    def trickle(self):
        for client, rest in list(self.trickling.items()):
            try:
                client.send(bytes([next(rest)]))
            except OSError:
                pass  # closed: the selector says so

    def end(self):
        self.over.set()
        self.join()
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()
        for client in self.unread:
            client.close()


class Counter(threading.Thread):
    """The most descriptors and threads that a process had."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.most, self.over = pid, (0, 0), threading.Event()

    def now(self):
        return tuple(len(os.listdir(f"/proc/{self.pid}/{kind}")) for kind in ("fd", "task"))

    def run(self):
        while not self.over.is_set():
            self.most = tuple(map(max, self.most, self.now()))
            time.sleep(0.02)


class DeafPhone:
    """A phone that is paired, says hello again and again, and never reads what it is told."""

    def __init__(self, receiver):
        self.receiver, self.id = receiver, uuid.uuid4()
        phone = self.dial()
        # Before the crowd comes: each of its wrong proofs counts against an open pairing (extensions.md 2.1).
        self.secret = phone.pair(json.loads(receiver.run("pair", "--no-wait"))["code"].replace(" ", ""))
        self.peer = phone.peer
        self.hello(phone)
        phone.receive()
        phone.close()

    def dial(self):
        return manual_ip.Connection("127.0.0.1", self.receiver.runtime["peer_port"], self.id)

    def hello(self, phone):
        phone.send({"hello": {"_0": dict(CAPABILITIES, installationID=str(self.id).upper())}})

    def connect(self):
        """Like any phone it dials again when strangers pushed it out before it could prove itself."""
        for attempt in range(20):
            phone = self.dial()
            try:
                phone.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
                phone.reconnect(self.secret, self.peer)
                for _ in range(400):
                    self.hello(phone)
                return phone
            except (EOFError, OSError):
                phone.close()
                time.sleep(0.1)
        raise TimeoutError("the deaf phone gets in")


def main():
    program, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    export = folder / "export.xml"
    subprocess.run([sys.executable, ROOT / "Tools/make_health_export.py", "--xml", export, "--days", str(DAYS + 1),
                    "--records-per-day", "40", "--time-zone", ZONE, "--quiet"], check=True)
    receiver, phone = Receiver(program, folder), Phone(program, folder, export)
    counter, crowd = Counter(receiver.process.pid), None
    try:
        phone.connect(receiver)
        device = receiver.api("GET", "/v1/peers")["devices"][0]["installation_id"]
        phone.stop()
        deaf = DeafPhone(receiver)
        until(lambda: not receiver.connected(), "the phones are gone")
        quiet = counter.now()
        counter.start()
        crowd = Crowd(receiver.runtime["peer_port"])
        crowd.start()
        until(lambda: crowd.dialled >= CLIENTS, "everybody dialled")
        connection = deaf.connect()
        began = time.monotonic()
        phone.start()
        until(lambda: any(p["connected"] for p in receiver.api("GET", "/v1/status")["phones"]
                          if p["installation_id"] == device), "the phone gets in")
        joined = time.monotonic() - began
        receiver.run("export", "--from", FIRST, "--to", LAST, "--device", device)
        took = time.monotonic() - began
        assert len(receiver.tree()) >= 2 * DAYS, list(receiver.tree())
        devices = receiver.api("GET", "/v1/peers")["devices"]
        assert len(devices) == 2, devices
        until(lambda: crowd.closed + len(crowd.unread) >= CLIENTS - DOOR, "the crowd is kept at the door")
        assert crowd.is_alive()
        counter.over.set()
        counter.join()
        crowd.end()
        connection.close()
        phone.stop()
        until(lambda: counter.now()[0] <= quiet[0] and counter.now()[1] <= quiet[1], f"back to {quiet}: {counter.now()}")
        descriptors, threads = counter.most[0] - quiet[0], counter.most[1] - quiet[1]
        assert descriptors <= DOOR, f"{descriptors} descriptors"
        # A reader and a writer each.
        assert threads <= 2 * DOOR, f"{threads} threads"
        print(f"crowd: {crowd.dialled} slow connections, the phone got in after {joined:.1f} s and was done after {took:.1f} s, "
              f"at most {descriptors} descriptors and {threads} threads more")
    finally:
        if crowd and crowd.is_alive():
            crowd.end()
        phone.stop()
        receiver.stop()


if __name__ == "__main__":
    main()
