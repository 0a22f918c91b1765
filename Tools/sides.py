"""What the measuring scripts share: a receiver and a phone side as processes on loopback, and their memory."""
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("HEALTHMD", str(ROOT / ".build/release/healthmd"))
ZONE = "Europe/Berlin"


def stop_on_terminate():
    """Lets SIGTERM end a script like an error: its processes are stopped and its folder is removed."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


def run(*arguments, **options):
    return subprocess.run([str(a) for a in arguments], check=True, capture_output=True, **options).stdout


def until(condition, what, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.05)


def peak(pid):
    """Peak resident memory of a process, in KiB."""
    for line in open(f"/proc/{pid}/status"):
        if line.startswith("VmHWM"):
            return int(line.split()[1])
    return 0


def few_descriptors():
    """The soft limit that a service or a shell usually starts with, whatever this one has."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, hard), hard))


class Receiver:
    """A daemon on free loopback ports, with its state below a folder."""

    def __init__(self, work):
        self.work, self.state = work, work / "receiver"
        (work / "files").mkdir()
        self.process = subprocess.Popen(
            [PROGRAM, "--data-dir", self.state, "serve", "--control-port", "0", "--peer-port", "0",
             "--peer-address", "127.0.0.1", "--destination", work / "files"], preexec_fn=few_descriptors,
            stderr=open(work / "receiver.log", "wb"))
        try:
            runtime = self.state / "receiver/runtime.json"
            until(runtime.exists, "the receiver starts")
            self.runtime = json.loads(runtime.read_text())
            self.token = (self.state / "receiver/control-token").read_text().strip()
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self):
        return self.process.pid

    def client(self, *arguments):
        return run(PROGRAM, "--data-dir", self.state, *arguments)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)


class Sides:
    """A receiver and a phone side, paired; the phone side holds an invented export of `days` days.

    A lossless day of the usual 2,900 records is a document of 2.84 MiB on average.
    """

    DAY_MEBIBYTES = 2.84

    def __init__(self, work, days, records_per_day=2900):
        self.phone_state = work / "phone"
        export = work / "export.xml"
        run(sys.executable, ROOT / "Tools/make_health_export.py", "--xml", export, "--days", days,
            "--records-per-day", records_per_day, "--time-zone", ZONE, "--quiet")
        self.phone("import", export, "--time-zone", ZONE)
        export.unlink()
        self.sender = None
        self.receiver = Receiver(work)
        try:
            pairing = json.loads(self.client("pair", "--no-wait"))
            port = self.receiver.runtime["peer_port"]
            self.phone("pair", f"127.0.0.1:{port}", input=pairing["code"].encode())
            self.sender = subprocess.Popen([PROGRAM, "--data-dir", self.phone_state, "phone", "serve"],
                                           stderr=open(work / "phone.log", "wb"))
            until(lambda: json.loads(self.client("status"))["iphone"]["connected"], "the phone side connects")
        except BaseException:
            self.stop()
            raise

    def phone(self, *arguments, **options):
        return run(PROGRAM, "--data-dir", self.phone_state, "phone", *arguments, **options)

    def client(self, *arguments):
        return self.receiver.client(*arguments)

    def stop(self):
        if self.sender:
            self.sender.send_signal(signal.SIGTERM)
            self.sender.wait(timeout=60)
        self.receiver.stop()
