"""Real processes of the sealed day archive on loopback, for the checks that drive them: service, writer, reader, and a
proxy that writes down what passes. Only the Python standard library is used.
"""
import atexit
import datetime
import json
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("HEALTHMD", str(ROOT / ".build/release/healthmd"))

# Whoever started this may have blocked signals, as the worker threads of a test runner do, and a mask is inherited: the
# programs started here are to hear theirs.
signal.pthread_sigmask(signal.SIG_SETMASK, [])


class Failed(AssertionError):
    """A check that does not hold."""


def check(condition, what):
    if not condition:
        raise Failed(what)


def until(condition, what, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise Failed(f"timed out: {what}")
        time.sleep(0.02)


def make_export(path, days, records_per_day, seed=1, end=None):
    """An invented export whose last day is today, so that a writer sends exactly `days` days or one more."""
    end = end or datetime.datetime.now(datetime.timezone.utc).date()
    subprocess.run(
        [sys.executable, str(ROOT / "Tools/make_health_export.py"), "--xml", str(path), "--days", str(days), "--seed",
         str(seed), "--records-per-day", str(records_per_day), "--time-zone", "UTC", "--end", end.isoformat(),
         "--no-clinical", "--ecgs", "0", "--quiet"], check=True)


class Run:
    """How a command ended."""

    def __init__(self, done):
        self.status, self.output, self.errors = done.returncode, done.stdout, done.stderr

    @property
    def document(self):
        return json.loads(self.output)


class Service:
    """`healthmd archive serve` over a folder."""

    def __init__(self, state, *options, program=PROGRAM, environment=None):
        self.state, self.options, self.program = pathlib.Path(state), [str(o) for o in options], program
        self.environment = environment
        self.folder = self.state / "archive/service"
        self.log = pathlib.Path(str(state) + ".log")
        self.process, self.port = None, None

    def start(self, expect_start=True):
        """Starts it on the port it had before, if any. It never outlives the script, however that ends."""
        atexit.register(self.kill)
        begin = self.log.stat().st_size if self.log.exists() else 0
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [self.program, "--data-dir", str(self.state), "archive", "serve", "--port", str(self.port or 0),
                 *self.options], stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=self.environment)

        def ready():
            text = self.text(begin)
            return "archive service: " in text or self.process.poll() is not None

        until(ready, "the service starts")
        text = self.text(begin)
        if "archive service: " in text:
            address = text.split("archive service: ")[1].split()[0].rstrip(",")
            self.port = int(address.rsplit(":", 1)[1])
        check(not expect_start or self.process.poll() is None, f"the service did not start: {text}")
        return self

    def text(self, begin=0):
        return self.log.read_bytes()[begin:].decode(errors="replace") if self.log.exists() else ""

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def token(self):
        return (self.folder / "claim-token").read_text()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            check(self.process.wait(timeout=30) == 0, "the service did not end well")

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
        if self.process:
            self.process.wait()

    def rows(self, sql):
        """What its index holds, while it is stopped or running."""
        with sqlite3.connect(self.folder / "index.sqlite") as index:
            return index.execute(sql).fetchall()

    def files(self):
        """The sealed days that lie in its folder, by name below `days/`."""
        root = self.folder / "days"
        return {str(path.relative_to(root)): path for path in root.glob("*/*")}


class Writer:
    """The writer's side over a state folder with imported days."""

    def __init__(self, state, program=PROGRAM, wrapper=()):
        self.state, self.program, self.wrapper = pathlib.Path(state), program, list(wrapper)

    def run(self, *arguments, input=None, checked=True, wrapper=None, environment=None):
        wrapper = self.wrapper if wrapper is None else list(wrapper)
        done = subprocess.run(
            [*wrapper, self.program, "--data-dir", str(self.state), *[str(a) for a in arguments]], input=input,
            capture_output=True, timeout=600, env=environment)
        if checked:
            check(done.returncode == 0, f"{arguments}: {done.returncode} {done.stdout[-500:]} {done.stderr[-500:]}")
        return Run(done)

    def load(self, export):
        self.run("phone", "import", export, "--time-zone", "UTC")

    def init(self, service, url=None, **options):
        return self.run("archive", "writer", "init", "--url", url or service.url, "--claim-token-file", "-",
                        input=service.token.encode(), **options)

    def push(self, **options):
        return self.run("archive", "writer", "push", **options)

    def status(self):
        return self.run("archive", "writer", "status").document

    def handoff(self):
        return self.run("archive", "writer", "handoff").output

    def forget_daily_check(self):
        """As if a day had passed."""
        with sqlite3.connect(self.state / "archive/writer/writer.sqlite") as ledger:
            ledger.execute("DELETE FROM setting WHERE name = 'last_check'")

    def accepted(self):
        """Days that the ledger calls stored, with their sealed sizes; None where they are owed again."""
        with sqlite3.connect(self.state / "archive/writer/writer.sqlite") as ledger:
            rows = ledger.execute("SELECT day, byte_count, is_dirty FROM days WHERE digest IS NOT NULL")
            return {day: None if owed else size for day, size, owed in rows}


class Reader:
    """A reader's profile."""

    def __init__(self, home, program=PROGRAM):
        self.home, self.program = pathlib.Path(home), program

    def run(self, *arguments, input=None, checked=True, wrapper=()):
        done = subprocess.run(
            [*wrapper, self.program, "archive", "reader", *[str(a) for a in arguments]], input=input,
            capture_output=True, timeout=600, env={**os.environ, "EFFERENT_HOME": str(self.home)})
        if checked:
            check(done.returncode == 0, f"{arguments}: {done.returncode} {done.stdout[-500:]} {done.stderr[-500:]}")
        return Run(done)

    def connect(self, handoff, **options):
        self.run("connect", "--handoff", "-", input=handoff, **options)
        return self

    def sync(self, **options):
        return self.run("sync", **options)

    def write(self, items, **options):
        return self.run("write", "--items", "-", input=json.dumps({"items": items}).encode(), **options)

    def days(self):
        """What each mirrored day says."""
        return {path.name[:10]: path.read_bytes() for path in (self.home / "days").glob("*.ndjson")}

    def recorded(self):
        return set(json.loads((self.home / "mirror.json").read_text())["days"])


class Proxy:
    """Passes connections on, byte by byte, and writes down each request and each answer.

    One request for each connection, as our service and libcurl's single transfers have it.
    """

    def __init__(self, port, on_request=None):
        self.target, self.on_request = port, on_request
        self.requests, self.answers, self.lock = [], [], threading.Lock()
        # So many further connections are taken; None: all.
        self.left = None
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with self.lock:
                refused = self.left is not None and self.left <= 0
                if self.left is not None:
                    self.left -= 1
            if refused:
                # Reset, as from a computer where nothing listens.
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                client.close()
                continue
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        try:
            server = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            client.close()
            return
        answer = bytearray()
        back = threading.Thread(target=self.pump, args=(server, client, answer), daemon=True)
        back.start()
        self.pump(client, server, bytearray(), self.requests)
        back.join()
        with self.lock:
            self.answers.append(answer)
        for end in (client, server):
            end.close()

    def pump(self, source, sink, seen, requests=None):
        noted = requests is None
        try:
            while piece := source.recv(1 << 16):
                seen += piece
                if not noted and b"\r\n\r\n" in seen:
                    noted = True
                    with self.lock:
                        requests.append(seen)
                    if self.on_request:
                        self.on_request(seen.split(b"\r\n")[0].decode())
                sink.sendall(piece)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            # One side is gone: so is the other, soon.
            for end in (source, sink):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def take(self):
        """The request lines since the last call."""
        with self.lock:
            lines = [bytes(seen).split(b"\r\n")[0].decode() for seen in self.requests]
            self.requests.clear()
            self.answers.clear()
        return lines

    def close(self):
        self.listener.close()


def meal(name, value, when=None):
    """An entry that an editor may write."""
    when = int(time.time()) - 3 * 86_400 if when is None else when
    return {"op": "put", "id": name, "metric": "dietaryProtein", "start": when, "end": when, "value": value, "unit": "g"}


def same_days(found, expected, what):
    missing = sorted(set(expected) - set(found))
    extra = sorted(set(found) - set(expected))
    other = sorted(day for day in set(found) & set(expected) if found[day] != expected[day])
    check(not missing and not extra and not other,
          f"{what}: missing {missing[:5]}, unexpected {extra[:5]}, different {other[:5]}")


def fresh_copy(source, target):
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, symlinks=True)
