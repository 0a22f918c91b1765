#!/usr/bin/env python3
"""Our program beside its peers, on the same data in one run. Prints a table, and JSON with --json FILE.

    bench.py [--mebibytes 512] [--runs 3] [--json FILE]

Row 1: a strict raw corpus of about that size, from our phone side through the receiver to a verified file, beside `scp`
with chacha20-poly1305 over OpenSSH on loopback, copying the very file that our transfer delivered. Ours also reads the
day store, renders each document, journals, syncs and validates it; scp copies bytes. Both medians and the ratio are
printed. The peer is skipped, with a message, where OpenSSH's server cannot be had.
"""
import argparse
import getpass
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import tempfile
import time

from sides import Sides, peak, run, stop_on_terminate, until


class SecureShell:
    """A private OpenSSH server on loopback."""

    def __init__(self, work):
        self.folder = work / "ssh"
        self.folder.mkdir(mode=0o700)
        for name in ("host", "user"):
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / name)
        shutil.copy(self.folder / "user.pub", self.folder / "authorized")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        (self.folder / "config").write_text(
            f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {self.folder}/host\nAuthorizedKeysFile {self.folder}/authorized\n"
            f"StrictModes no\nUsePAM no\nPidFile none\nPermitRootLogin yes\nSubsystem sftp internal-sftp\n")
        os.makedirs("/run/sshd", exist_ok=True)
        self.server = subprocess.Popen(["/usr/sbin/sshd", "-D", "-e", "-f", self.folder / "config"],
                                       stderr=open(self.folder / "log", "wb"))
        until(self.answers, "sshd starts")

    def answers(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def copy(self, source, target):
        run("scp", "-q", "-c", "chacha20-poly1305@openssh.com", "-P", self.port, "-i", self.folder / "user", "-o",
            "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", source,
            f"{getpass.getuser()}@127.0.0.1:{target}")
        descriptor = os.open(target, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)

    def stop(self):
        self.server.terminate()
        self.server.wait(timeout=30)


def main():
    stop_on_terminate()
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--mebibytes", type=int, default=512)
    arguments.add_argument("--runs", type=int, default=3)
    arguments.add_argument("--json")
    options = arguments.parse_args()

    work = pathlib.Path(tempfile.mkdtemp(prefix="healthmd-bench."))
    sides = shell = None
    try:
        # The real size is measured below.
        days = max(2, round(options.mebibytes / Sides.DAY_MEBIBYTES))
        sides = Sides(work, days)
        if shutil.which("scp") and os.path.exists("/usr/sbin/sshd"):
            shell = SecureShell(work)
        else:
            print("bench: the peer scp is skipped: OpenSSH's server is not installed (apt-get install openssh-server)")
        ours, theirs = [], []
        target = work / "raw.json"
        for _ in range(options.runs):
            began = time.monotonic()
            sides.client("export", "--raw", "--all", "--allow-partial", "--output", target)
            ours.append(time.monotonic() - began)
            if shell:
                began = time.monotonic()
                shell.copy(target, work / "copied.json")
                theirs.append(time.monotonic() - began)
        size = target.stat().st_size
        report(options, size, ours, theirs, peak(sides.receiver.pid), peak(sides.sender.pid))
    finally:
        for part in (shell, sides):
            if part:
                part.stop()
        shutil.rmtree(work, ignore_errors=True)


def report(options, size, ours, theirs, receiver_peak, phone_peak):
    mebibytes = size / (1 << 20)
    rows = [("healthmd export --raw", statistics.median(ours))]
    if theirs:
        rows.append(("scp, chacha20-poly1305", statistics.median(theirs)))
    print(f"strict raw corpus, {mebibytes:.0f} MiB, {options.runs} runs, medians")
    for name, seconds in rows:
        print(f"  {name:28} {seconds:8.2f} s {mebibytes / seconds:9.1f} MiB/s")
    result = {"bytes": size, "runs": options.runs, "healthmd_seconds": ours, "scp_seconds": theirs,
              "receiver_peak_kib": receiver_peak, "phone_peak_kib": phone_peak}
    if theirs:
        result["ratio"] = rows[0][1] / rows[1][1]
        print(f"  ratio (ours / scp)           {result['ratio']:8.2f}")
    print(f"  peak memory: receiver {receiver_peak / 1024:.0f} MiB, phone side {phone_peak / 1024:.0f} MiB")
    print(json.dumps(result))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(result) + "\n")


main()
