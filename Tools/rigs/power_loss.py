#!/usr/bin/env python3
"""Loss of power: what was not synced is gone (a killed process does not show that, the page cache outlives it).

    power_loss.py                   COPIES=100 SEED=1 MODES=files,raw

The receiver (state and destination) and the phone each have an ext4 image over a loop device. For each copy a session runs until the moment
of choice: at each acknowledgement that the phone has heard, at the final one, when the client is answered, or at random. Then both sides
stand still, the image of one side or of both is copied, everything is killed, and the copy is mounted in its place. What was acknowledged must
be there; then the real program recovers from it and the session must end, without a human, as an undisturbed one does. The rig first
shows that it really loses bytes that were not synced. Where loop mounts are forbidden it says SKIPPED and ends with 0.
"""
import collections
import os
import random
import shutil
import signal
import sqlite3
import sys
import time

import images
import sides
from images import Image
from session import DAYS, PATIENCE, Client, Journals, Outcome, Reference, Violation, check_end, ended, listed
from sides import Stage, table, tree, until

MOMENTS = ("first ack", "second ack", "third ack", "final ack", "client told", "random")
LOSERS = (("receiver",), ("phone",), ("receiver", "phone"))
SPAN = 1.0  # seconds of a session within which random moments fall
SIZE = 512 << 20  # sparse; the receiver admits nothing below about 400 MiB of free space


def shows_loss(folder):
    """Whether a copy lacks what was not synced and holds what was."""
    image = Image(folder / "probe", folder / "probe-mount", 32 << 20)
    try:
        descriptors = {}
        for name in ("synced", "unsynced"):
            descriptors[name] = os.open(image.mountpoint / name, os.O_CREAT | os.O_WRONLY, 0o600)
            os.write(descriptors[name], b"x" * 10_000)
            if name == "synced":
                os.fsync(descriptors[name])
        image.copy(folder / "probe-copy")
        for descriptor in descriptors.values():
            os.close(descriptor)
        image.put(folder / "probe-copy")
        found = {path.name: path.stat().st_size for path in image.mountpoint.iterdir() if path.is_file()}
        return found.get("synced") == 10_000 and found.get("unsynced", 0) == 0
    finally:
        image.close()


class Rig:
    def __init__(self, folder):
        self.folder = folder
        self.images = {side: Image(folder / f"{side}.image", folder / side, SIZE) for side in ("receiver", "phone")}
        receiver, phone = self.images["receiver"].mountpoint, self.images["phone"].mountpoint
        self.stage = Stage(folder, DAYS, data=receiver / "state", files=receiver / "files", phone=phone / "state")
        self.stage.prepare()
        self.stage.keep()

    def close(self):
        self.stage.stop()
        for image in self.images.values():
            image.close()

    def reached(self, moment, client, began, delay):
        """Whether the moment of choice has come."""
        if moment == "random":
            return time.monotonic() - began >= delay
        if moment == "client told":
            return client.answer is not None
        try:
            text = self.stage.phone.log.read_text(errors="replace")
        except FileNotFoundError:
            return False
        if moment == "final ack":
            return " job_ended " in text
        return text.count(" partition_committed ") > MOMENTS.index(moment)

    def stand_still(self):
        """Stops both sides and reads what they knew; a side that stood in the middle of its journal goes on for a moment."""
        while True:
            for side in (self.stage.receiver, self.stage.phone):
                side.signal(signal.SIGSTOP)
            try:
                return Journals(self.stage)
            except sqlite3.OperationalError:
                for side in (self.stage.receiver, self.stage.phone):
                    side.signal(signal.SIGCONT)
                time.sleep(0.01)

    def lose_power(self, losers):
        for side in losers:
            self.images[side].copy(self.folder / f"{side}.copy")
        self.stage.stop()
        for side in losers:
            self.images[side].put(self.folder / f"{side}.copy")

    def copy(self, reference, moment, losers, delay):
        """One session that loses power at a moment."""
        stage, mode = self.stage, reference.mode
        stage.reset()
        os.sync()
        client = Client(stage, mode)
        try:
            stage.start_receiver()
            stage.phone.start()
            began = time.monotonic()
            client.start()
            until(lambda: self.reached(moment, client, began, delay), f"the {moment}", seconds=PATIENCE, every=0.002)
            told, answer = self.stand_still(), client.answer
            self.lose_power(losers)

            found = Journals(stage)
            found.check_order()
            if found.partitions[0] < told.sent or found.partitions[1] < told.sent_bytes:
                raise Violation(f"the phone was told of {told.sent} partitions, the receiver has {found.partitions[0]}")
            if told.phone_state == "completed" or (answer and answer[0] == 200):
                if found.sessions != ["completed"] or found.jobs != ["completed"]:
                    raise Violation(f"told that all is done, but sessions {found.sessions}, jobs {found.jobs}")
                if tree(stage.files) != reference.tree:
                    raise Violation("told that all is done, but files are missing")

            stage.start_receiver()
            stage.phone.start()
            until(lambda: client.answer is not None and ended(stage), "the end without a human", seconds=PATIENCE, every=0.02)
        finally:
            client.gone.set()
            stage.stop()
        check_end(stage, reference, Outcome(client.answer[1], client, None, Journals(stage)))


def main():
    if (reason := images.why_not("loop")) is not None:
        print(f"power loss: SKIPPED, {reason}")
        return 0
    images.leave_mounts_behind()
    began = time.monotonic()
    count, seed, modes = int(os.environ.get("COPIES", "100")), int(os.environ.get("SEED", "1")), listed("MODES", ("files", "raw"))
    folder, rig = sides.scratch("power"), None
    try:
        if not shows_loss(folder):
            print("power loss: FAILED, a copy of an image holds what was never synced: the rig would show nothing")
            return 1
        rig = Rig(folder)
        references = {mode: Reference(rig.stage, mode, count=False) for mode in modes}
        chance = random.Random(seed)
        lines, failures = collections.defaultdict(lambda: [0, 0, 0, 0]), 0
        for number in range(count):
            moment, mode = MOMENTS[number % len(MOMENTS)], modes[number // len(MOMENTS) % len(modes)]
            losers, delay = chance.choice(LOSERS), chance.uniform(0, SPAN)
            line = lines[moment, " and ".join(losers)]
            line[0] += 1
            try:
                rig.copy(references[mode], moment, losers, delay)
                line[1] += 1
            except TimeoutError as error:
                line[2] += 1
                problem = str(error)
            except (Violation, AssertionError) as error:
                problem = str(error)
            else:
                continue
            line[3] += 1
            failures += 1
            print(f"FAILED copy {number} ({mode}, {moment}, {losers} lost power, after {delay:.3f} s): {problem}", flush=True)
        rows = [[*key, *line] for key, line in sorted(lines.items(), key=lambda entry: (MOMENTS.index(entry[0][0]), entry[0][1]))]
        rows.append(["all", "", *(sum(row[n] for row in rows) for n in range(2, 6))])
        print(table(["copied at", "lost power", "copies", "identical", "human needed", "failures"], rows))
        print(f"power loss: {count} copies, seed {seed}, {time.monotonic() - began:.0f} s, {failures} failures")
        return 1 if failures else 0
    finally:
        if rig:
            rig.close()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
