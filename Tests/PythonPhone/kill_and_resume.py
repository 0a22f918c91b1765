#!/usr/bin/env python3
"""Killing either process in mid transfer loses nothing: after a restart `healthmd resume` gives the same bytes.

    kill_and_resume.py HEALTHMD-BINARY WORK-FOLDER

Three receivers take the same 99 days from our phone side: one undisturbed, one that is killed (SIGKILL) as soon as the
first partition is committed, one whose phone side is killed then. Each disturbed job is resumed by its id. The trees must
be equal, byte for byte, and the job must say that all days are there. Exit 0 and one line when they are.
"""
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import time

from interop import ZONE, Phone, Receiver, until

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FROM, TO, DAYS = "2026-01-06", "2026-04-14", 99


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def generated_phone(program, folder):
    """A phone side with one day more than the jobs ask for."""
    export = folder / "export.xml"
    subprocess.run([sys.executable, ROOT / "Tools/make_health_export.py", "--xml", export, "--days", str(DAYS + 1),
                    "--records-per-day", "60", "--time-zone", ZONE, "--quiet"], check=True)
    return Phone(program, folder, export)


class Restartable(Receiver):
    """A receiver on a peer port that stays the same over a restart."""

    def __init__(self, program, folder):
        super().__init__(program, folder, peer_port=free_port())

    def committed(self):
        return "partition_committed" in pathlib.Path(self.log.name).read_text(errors="replace")


def disturbed(receiver, victim):
    """Starts the export, lets `victim` die at the first committed partition; returns the job's id."""
    client = receiver.start("export", "--from", FROM, "--to", TO)
    until(receiver.committed, "the first partition is committed")
    victim()
    errors = client.communicate(timeout=120)[1].decode()
    return re.search(r"job ([0-9A-Fa-f-]{36})", errors).group(1)


def abandon(folder):
    """Leaves what a process that is killed while it writes a day leaves behind; it must be gone in the end."""
    folder.mkdir(exist_ok=True)
    leftover = folder / ".healthmd-0123456789abcdef.tmp"
    leftover.write_text("part of a day")
    os.utime(leftover, (time.time() - 60, time.time() - 60))


def finish(receiver, job):
    until(receiver.connected, "the phone side comes back", seconds=60)
    answer = json.loads(receiver.run("resume", job))
    assert answer["status"] == "success" and answer["success_count"] == DAYS, answer


def main():
    program, folder = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    phone = generated_phone(program, folder)
    receivers, trees = [], []
    try:
        for name in ("undisturbed", "receiver killed", "phone killed"):
            receiver = Restartable(program, folder / name.replace(" ", "-"))
            receivers.append(receiver)
            phone.connect(receiver)
            if name == "undisturbed":
                receiver.run("export", "--from", FROM, "--to", TO)
            elif name == "receiver killed":
                job = disturbed(receiver, receiver.kill)
                abandon(receiver.files / "Health")
                receiver.launch()
                finish(receiver, job)
            else:
                def victim():
                    phone.kill()
                    phone.start()
                finish(receiver, disturbed(receiver, victim))
            phone.stop()
            trees.append(receiver.tree())
        assert len(trees[0]) >= 2 * DAYS, len(trees[0])
        for tree in trees[1:]:
            assert list(tree) == list(trees[0])
            assert all(tree[name] == trees[0][name] for name in tree)
        print(f"kill and resume: {len(trees[0])} files, equal in all {len(trees)} trees")
    finally:
        phone.stop()
        for receiver in receivers:
            if receiver.process.poll() is None:
                receiver.stop()


if __name__ == "__main__":
    main()
