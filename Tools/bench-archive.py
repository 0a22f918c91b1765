#!/usr/bin/env python3
"""Signed reads a second from one service process, beside libmicrohttpd answering a constant of the same size.

    bench-archive.py [--seconds 5] [--runs 3] [--clients 8] [--json FILE]

The service holds thirty days as our writer sealed them, with a registered read key, so that every read is a lookup, a
file, and an Ed25519 signature to check. The load signs each request anew. The peer is the same HTTP library with two
threads and one buffer, asked by the same load: once with a connection for each answer, as the service has it, once with
connections that live on. Runs alternate; medians and ratios are printed. Load, service and peer share this computer.
"""
import argparse
import hashlib
import hmac
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from archive_rig import ROOT, Reader, Service, Writer, check, make_export

DAYS, RECORDS = 30, 1_500
WANTED = 2_000


def build(work):
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler:
        print("bench-archive: skipped: no C compiler for the load (apt-get install gcc)")
        sys.exit(0)
    program = work / "bench-archive-load"
    subprocess.run([compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, ROOT / "Tools/bench-archive.c",
                    "-lmicrohttpd", "-lsodium", "-lpthread"], check=True)
    return program


def read_seed(profile):
    import base64
    text = json.loads((profile / "reading-key.json").read_text())["readingPrivate"]
    private = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))[-32:]
    extracted = hmac.new(b"\0" * 32, private, hashlib.sha256).digest()
    return hmac.new(extracted, b"efferent/v1 read\x01", hashlib.sha256).hexdigest()


class Load:
    def __init__(self, program, options, seed, bucket, targets):
        self.program, self.options, self.bucket = program, options, bucket
        self.input = "\n".join([seed, *targets]) + "\n"

    def run(self, port):
        done = subprocess.run(
            [self.program, "load", str(port), str(self.options.seconds), str(self.options.clients), self.bucket],
            input=self.input, capture_output=True, text=True)
        check(done.returncode == 0, f"the load: {done.stdout} {done.stderr}")
        return json.loads(done.stdout)

    def run_peer(self, size, manner):
        peer = subprocess.Popen([self.program, "peer", str(size), manner], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, text=True)
        try:
            return self.run(int(peer.stdout.readline()))
        finally:
            peer.stdin.close()
            peer.wait(timeout=30)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--json")
    options = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="healthmd-bench."))
    service = None
    try:
        program = build(work)
        make_export(work / "export.xml", DAYS, RECORDS)
        writer = Writer(work / "writer")
        writer.load(work / "export.xml")
        service = Service(work / "service").start()
        writer.init(service)
        writer.push()
        reader = Reader(work / "reader").connect(writer.handoff())
        days = service.rows("SELECT bucket, day, byte_count FROM days ORDER BY day")
        size = round(statistics.median(count for _, _, count in days))
        bucket = days[0][0]
        load = Load(program, options, read_seed(reader.home), bucket, [f"/b/{bucket}/d/{day}" for _, day, _ in days])
        results = {"service": [], "close": [], "keep": []}
        for _ in range(options.runs):
            results["service"].append(load.run(service.port))
            results["close"].append(load.run_peer(size, "close"))
            results["keep"].append(load.run_peer(size, "keep"))
        service.stop()
    finally:
        if service:
            service.kill()
        shutil.rmtree(work, ignore_errors=True)

    def median(name, field):
        return statistics.median(run[field] for run in results[name])

    print(f"signed reads of a sealed day ({size} bytes), {options.clients} clients, {options.runs} runs of "
          f"{options.seconds} s, medians")
    for name, title in (("service", "healthmd archive serve"), ("close", "libmicrohttpd, a connection an answer"),
                        ("keep", "libmicrohttpd, connections live on")):
        print(f"  {title:38} {median(name, 'per_second'):9.0f} /s   p50 {median(name, 'p50_us') / 1000:6.2f} ms   "
              f"p99 {median(name, 'p99_us') / 1000:6.2f} ms")
    summary = {"bytes": size, "clients": options.clients, "per_second": median("service", "per_second"),
               "ratio": median("service", "per_second") / median("close", "per_second"),
               "ratio_keep": median("service", "per_second") / median("keep", "per_second")}
    print(f"  ratio (ours / libmicrohttpd)           {summary['ratio']:9.2f}     {summary['ratio_keep']:.2f} when its "
          "connections live on")
    print(json.dumps(summary))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(summary) + "\n")
    if summary["per_second"] < WANTED:
        print(f"bench-archive: below {WANTED} reads a second")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
