#!/usr/bin/env python3
"""A strict raw job of several GiB with little memory, and a download that breaks off half-way.

    big-raw.py [--gibibytes 4] [--json FILE]

The phone side imports a generated export (every record is another one), the receiver composes the response, the client
checks and writes it. Then the response is downloaded by hand: once broken off in the middle, twice to the end. Exit 0
only if daemon, client and phone side each stayed below 96 MiB of resident memory (VmHWM in /proc) and every complete
download has the same bytes and the same digest header as the client's.
"""
import argparse
import hashlib
import http.client
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from sides import PROGRAM, Sides, peak, stop_on_terminate

LIMIT_KIB = 96 * 1024
PIECE = 1 << 20


class Failure(Exception):
    pass


def watched(arguments):
    """Runs a client; its peak memory in KiB and the seconds it took."""
    began = time.monotonic()
    process = subprocess.Popen([str(a) for a in arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    highest = 0
    while process.poll() is None:
        try:
            highest = max(highest, peak(process.pid))
        except FileNotFoundError:
            pass
        time.sleep(0.02)
    output, errors = process.communicate()
    if process.returncode != 0:
        raise Failure(f"exit {process.returncode}: {errors.decode()[-2000:]}")
    return highest, time.monotonic() - began


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def download(receiver, job, most=None):
    """Digest of the body (nil when broken off after `most` bytes), and the header that states it."""
    connection = http.client.HTTPConnection("127.0.0.1", receiver.runtime["control_port"], timeout=600)
    try:
        connection.request("GET", f"/v1/exports/{job}", headers={"Authorization": f"Bearer {receiver.token}"})
        response = connection.getresponse()
        if response.status != 200:
            raise Failure(f"download: HTTP {response.status}")
        stated = response.headers["X-Healthmd-Body-SHA256"]
        hasher = hashlib.sha256()
        count = 0
        while piece := response.read(PIECE):
            hasher.update(piece)
            count += len(piece)
            if most and count >= most:
                return None, stated
        if count != int(response.headers["Content-Length"]):
            raise Failure(f"download: {count} bytes instead of {response.headers['Content-Length']}")
        return hasher.hexdigest(), stated
    finally:
        connection.close()


def measure(options, work):
    # Days differ: a few more than the average asks for.
    days = math.ceil(options.gibibytes * 1024 / Sides.DAY_MEBIBYTES * 1.02) + 1
    print(f"big-raw: {days} days of 2,900 records are generated and imported", flush=True)
    began = time.monotonic()
    sides = Sides(work, days)
    print(f"big-raw: ready after {time.monotonic() - began:.0f} s", flush=True)
    try:
        target = work / "raw.json"
        receiver = sides.receiver
        client, seconds = watched(
            [PROGRAM, "--data-dir", receiver.state, "export", "--raw", "--all", "--allow-partial", "--output", target])
        size = target.stat().st_size
        mine = digest(target)
        target.unlink()
        job = json.loads(sides.client("jobs", "--json"))["jobs"][0]["job_id"]
        broken, stated = download(receiver, job, most=size // 2)
        downloads = [download(receiver, job) for _ in range(2)]
        peaks = {"daemon": peak(receiver.pid), "client": client, "phone side": peak(sides.sender.pid)}
    finally:
        sides.stop()
    return {"bytes": size, "days": days, "seconds": seconds, "peaks_kib": peaks, "sha256": mine, "stated": stated,
            "broken": broken, "downloads": downloads}


def main():
    stop_on_terminate()
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--gibibytes", type=float, default=4)
    arguments.add_argument("--json")
    options = arguments.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="healthmd-big-raw."))
    try:
        result = measure(options, work)
    except Exception:
        for log in ("receiver.log", "phone.log"):
            if (work / log).exists():
                sys.stderr.write(f"-- {log}\n" + (work / log).read_text()[-3000:])
        raise
    finally:
        shutil.rmtree(work, ignore_errors=True)

    failed = False

    def check(name, holds, text):
        nonlocal failed
        failed = failed or not holds
        print(f"  {name:34} {text:>24}  {'ok' if holds else 'FAILED'}")

    mebibytes = result["bytes"] / (1 << 20)
    print(f"strict raw job, {mebibytes:.0f} MiB in {result['seconds']:.0f} s ({mebibytes / result['seconds']:.1f} MiB/s)")
    wanted = options.gibibytes * 1024
    check("size", mebibytes >= wanted, f"{mebibytes / 1024:.2f} GiB")
    for name, kib in result["peaks_kib"].items():
        check(f"peak memory, {name}", 0 < kib < LIMIT_KIB, f"{kib / 1024:.1f} MiB")
    same = result["stated"] == result["sha256"] and result["broken"] is None and all(
        pair == (result["sha256"], result["sha256"]) for pair in result["downloads"])
    check("downloads, one broken, two whole", same, result["sha256"][:16])
    print(json.dumps(result))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(result) + "\n")
    return 1 if failed else 0


sys.exit(main())
