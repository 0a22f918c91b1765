"""Both sides of the program on loopback, for the rigs: prepared once, copied for each point, killed and started at will.

A `Stage` is a folder with a receiver's state, its destination and a phone's state. It is prepared once (data imported, paired); `reset`
puts the prepared state back, so that a point costs no more than the session that it disturbs.
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ZONE = "Europe/Berlin"
LAST_DAY = "2026-04-14"  # the day before the last one that make_health_export.py writes
TERMINAL = ("success", "partial_success", "failure", "cancelled")


def program():
    """The release binary, or what HEALTHMD names."""
    path = pathlib.Path(os.environ.get("HEALTHMD", ROOT / ".build/release/healthmd")).resolve()
    if not path.exists():
        sys.exit(f"there is no program at {path}: make build")
    return str(path)


def scratch(name):
    """A new folder in memory when there is such a place, else where temporary files go.

    From here on SIGTERM ends the rig like an error: its processes are stopped and the folder is removed.
    """
    import tempfile
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    shared = pathlib.Path("/dev/shm")
    base = shared if os.access(shared, os.W_OK) and shutil.disk_usage(shared).free > 2 << 30 else None
    return pathlib.Path(tempfile.mkdtemp(prefix=f"healthmd-{name}.", dir=os.environ.get("RIG_DIR") or base)).resolve()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(condition, what, seconds=30.0, every=0.01):
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"in {seconds:.0f} s not: {what}")
        time.sleep(every)
    return value


def held_by(lock):
    """The process that holds a folder, by the pid in its lock file, if that process is alive."""
    try:
        pid = int(lock.read_text().split()[0])
        os.kill(pid, 0)
    except (OSError, ValueError, IndexError):
        return None
    return pid

# Whoever started this may have blocked signals, as the worker threads of a test runner do, and a mask is inherited: the
# programs started here are to hear theirs.
signal.pthread_sigmask(signal.SIG_SETMASK, [])


class Side:
    """One process that can be started under a wrapper (strace), killed and started again."""

    def __init__(self, stage, name, arguments):
        self.stage, self.name, self.arguments = stage, name, arguments
        self.process, self.log = None, stage.folder / f"{name}.log"

    def start(self, wrapper=()):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([*wrapper, self.stage.program, *self.arguments()], stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log, env=self.stage.environment)

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def pid(self):
        """The program's own pid: under a wrapper it is the wrapper's child."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return int(children[0]) if children else self.process.pid

    def signal(self, number):
        if self.is_running():
            try:
                os.kill(self.pid(), number)
            except (ProcessLookupError, FileNotFoundError):
                pass

    def kill(self):
        self.signal(signal.SIGKILL)
        if self.process:
            self.process.wait(timeout=20)

    def stop(self):
        self.signal(signal.SIGTERM)
        if self.process:
            self.process.wait(timeout=30)


class Stage:
    """A receiver, its destination and a phone; `data` and `files` may lie on file systems of their own."""

    def __init__(self, folder, days, records_per_day=12, data=None, files=None, phone=None, export_options=()):
        self.program, self.folder, self.days = program(), folder, days
        folder.mkdir(parents=True, exist_ok=True)
        self.receiver_state, self.files = data or folder / "receiver-state", files or folder / "files"
        self.phone_state, self.template = phone or folder / "phone-state", folder / "template"
        self.environment = dict(os.environ, SWIFT_BACKTRACE="enable=no")
        self.peer_port, self.records_per_day, self.export_options = free_port(), records_per_day, export_options
        self.dialled_port = self.peer_port
        self.receiver = Side(self, "receiver", lambda: [
            "--data-dir", str(self.receiver_state), "serve", "--control-port", "0", "--peer-port", str(self.peer_port),
            "--peer-address", "127.0.0.1", "--destination", str(self.files)])
        self.phone = Side(self, "phone", lambda: ["--data-dir", str(self.phone_state), "phone", "serve"])

    # Dates are counted back from the last one.
    def dates(self):
        import datetime
        last = datetime.date.fromisoformat(LAST_DAY)
        return [str(last - datetime.timedelta(days=n)) for n in reversed(range(self.days))]

    def run(self, state, *arguments, input=None):
        done = subprocess.run([self.program, "--data-dir", str(state), *arguments], input=input, capture_output=True,
                              timeout=600, env=self.environment)
        if done.returncode != 0:
            raise RuntimeError(f"{arguments}: exit {done.returncode}\n{done.stdout.decode()}\n{done.stderr.decode()}")
        return done.stdout

    def prepare(self):
        """Imports the data, pairs, stops both; then the state is what every point starts from."""
        export = self.folder / "export.xml"
        subprocess.run([sys.executable, ROOT / "Tools/make_health_export.py", "--xml", export, "--days", str(self.days + 1),
                        "--records-per-day", str(self.records_per_day), "--time-zone", ZONE, "--quiet",
                        *self.export_options], check=True)
        self.files.mkdir(mode=0o700, exist_ok=True)
        self.run(self.phone_state, "phone", "import", str(export), "--time-zone", ZONE)
        export.unlink()
        self.start_receiver()
        pairing = json.loads(self.run(self.receiver_state, "pair", "--no-wait"))
        self.run(self.phone_state, "phone", "pair", f"127.0.0.1:{self.dialled_port}", input=pairing["code"].encode())
        self.receiver.stop()

    def keep(self):
        """Keeps the state as it is now for `reset`."""
        shutil.rmtree(self.template, ignore_errors=True)
        shutil.copytree(self.receiver_state, self.template / "receiver")
        shutil.copytree(self.phone_state, self.template / "phone")

    def reset(self):
        """The kept state again. The destination's folder itself stays: the receiver is bound to its inode."""
        empty(self.files)
        for state, kept in ((self.receiver_state, "receiver"), (self.phone_state, "phone")):
            shutil.rmtree(state, ignore_errors=True)
            shutil.copytree(self.template / kept, state)
        for side in (self.receiver, self.phone):
            side.log.unlink(missing_ok=True)

    # The receiver

    @property
    def runtime(self):
        return self.receiver_state / "receiver" / "runtime.json"

    def start_receiver(self, wrapper=()):
        """Starts it and waits until it is ready; false when it ended before that."""
        self.runtime.unlink(missing_ok=True)
        self.receiver.start(wrapper)
        until(lambda: self.runtime.exists() or not self.receiver.is_running(), "the receiver starts")
        return self.runtime.exists()

    def call(self, method, path, body=None, timeout=30.0):
        """One call of the control API: status and body. OSError when the receiver is not there."""
        try:
            port = json.loads(self.runtime.read_text())["control_port"]
            token = (self.receiver_state / "receiver" / "control-token").read_text().strip()
        except (ValueError, KeyError) as error:
            raise OSError(f"no runtime file: {error}") from error
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}{path}", method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": "Bearer " + token, "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()

    def connected(self):
        try:
            return json.loads(self.call("GET", "/v1/status")[1])["iphone"]["connected"]
        except OSError:
            return False

    def request(self, job, mode):
        """What a client asks for: all days, as files or as a strict raw result."""
        dates = self.dates()
        request = {
            "job_id": job, "source": "connected_iphone", "date_range": {"start": dates[0], "end": dates[-1]},
            "queue_if_offline": True}
        if mode == "files":
            return request | {"settings_policy": "current_iphone_settings", "response_mode": "write_files"}
        return request | {
            "settings_policy": "requested_dates_only", "response_mode": "raw_json",
            "raw_profile": "canonical_source_records_v1"}

    def stop(self):
        for side in (self.phone, self.receiver):
            if side.is_running():
                side.kill()


def empty(folder):
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)


def tree(folder):
    """Every file below a folder: name to digest."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            found[str(path.relative_to(folder))] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def identities(folder):
    """Every file below a folder: name to inode and time of the last change of its bytes."""
    found = {}
    for path in folder.rglob("*"):
        try:
            status = path.lstat()
        except FileNotFoundError:
            continue
        if path.is_file():
            found[str(path.relative_to(folder))] = (status.st_ino, status.st_mtime_ns)
    return found


MOMENTS = re.compile(rb'"(created_at|expires_at|session_id)":"[^"]*"')


def normalised(raw):
    """A raw answer without its two moments and the session's random name: the only things that two runs may differ in."""
    return MOMENTS.sub(rb'"\1":"-"', raw)


def table(headings, rows):
    """Rows as aligned text; figures to the right."""
    texts = [[str(cell) for cell in row] for row in [headings, *rows]]
    widths = [max(len(row[n]) for row in texts) for n in range(len(headings))]
    lines = []
    for number, row in enumerate(texts):
        cells = [text.rjust(width) if number and text.replace(".", "").replace(",", "").isdigit() else text.ljust(width)
                 for text, width in zip(row, widths)]
        lines.append("  ".join(cells).rstrip())
        if number == 0:
            lines.append("  ".join("-" * width for width in widths))
    return "\n".join(lines)
