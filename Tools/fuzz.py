#!/usr/bin/env python3
"""Runs the fuzz targets of Fuzz/ with LLVM's fuzzer and the address sanitizer.

    Tools/fuzz.py --seconds 60                 all targets, 60 seconds together
    Tools/fuzz.py --seconds 600 --target zip   one target
    Tools/fuzz.py --minutes-each 30            half an hour for each, as many at once as there are processors
    Tools/fuzz.py --build                      only the build
    Tools/fuzz.py --replay FILE --target zip   one input, with its trace

Seeds are in Fixtures/fuzz/TARGET; what a run learns is kept in .build/fuzz/corpus/TARGET; findings go to
.build/fuzz/findings. Exit 1 when there was a finding, 0 else. A toolchain without the fuzzer is reported as SKIPPED.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / ".build" / "fuzz"
PROGRAM = BUILD / "release" / "Fuzz"
SEEDS = ROOT / "Fixtures" / "fuzz"

# One input of a few kilobytes must not take longer or hold more; what it may ask for in one piece the target says.
TIMEOUT_SECONDS = 20
RSS_LIMIT_MEGABYTES = 1024


def skip(reason):
    print(f"fuzz: SKIPPED: {reason}")
    sys.exit(0)


def build():
    swift = os.environ.get("SWIFT", "swift")
    targets = subprocess.run([swift, "-print-target-info"], capture_output=True, text=True)
    folder = re.search(r'"runtimeResourcePath"\s*:\s*"([^"]+)"', targets.stdout)
    if not folder or not list((pathlib.Path(folder[1]) / "clang").resolve().rglob("libclang_rt.fuzzer*.a")):
        skip("this toolchain has no libclang_rt.fuzzer")
    # Release, since a debug build runs a fiftieth of the inputs; testable, since decoders are not all public. No tests
    # are described, so that the package loads quickly.
    environment = dict(os.environ, HEALTHMD_FUZZ="1", HEALTHMD_TESTS="none")
    command = [
        swift, "build", "--build-path", str(BUILD), "-c", "release", "--product", "Fuzz",
        # As one option of the compiler: of several the last one wins, and `--sanitize` gives them in any order.
        "-Xswiftc", "-sanitize=fuzzer,address", "-Xswiftc", "-enable-testing",
        # Merged functions bear the name of any one of them, which makes a trace tell of types that were not there.
        "-Xswiftc", "-Xllvm", "-Xswiftc", "-swiftmergefunc-threshold=0",
    ]
    start = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        print(done.stdout[-8000:])
        sys.exit("fuzz: the build failed")
    print(f"fuzz: built in {time.monotonic() - start:.0f} s", flush=True)


def environment():
    return dict(
        os.environ,
        # The backtracer of Swift can hang for minutes; the sanitizer prints a trace of its own.
        SWIFT_BACKTRACE="enable=no",
        ASAN_OPTIONS="detect_leaks=0:quarantine_size_mb=16:allocator_may_return_null=0:handle_abort=1:handle_sigill=1",
    )


def all_targets():
    listed = subprocess.run([PROGRAM, "--list"], capture_output=True, text=True, env=environment(), check=True)
    return {name: limits for name, *limits in (line.split() for line in listed.stdout.splitlines())}


def run(target, limits, seconds, log=None):
    """Fuzzes one target; returns what there is to tell."""
    size, allocation = limits
    corpus = BUILD / "corpus" / target
    findings = BUILD / "findings"
    corpus.mkdir(parents=True, exist_ok=True)
    findings.mkdir(parents=True, exist_ok=True)
    command = [
        str(PROGRAM), target, f"-max_total_time={seconds}", f"-max_len={size}", f"-timeout={TIMEOUT_SECONDS}",
        f"-rss_limit_mb={RSS_LIMIT_MEGABYTES}", f"-malloc_limit_mb={allocation}",
        "-print_final_stats=1", "-reload=0", f"-artifact_prefix={findings}/{target}-", str(corpus), str(SEEDS / target),
    ]
    start = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, errors="replace")
    text = done.stderr
    if log:
        log.write_text(text)

    def stat(name):
        found = re.search(rf"stat::{name}:\s+(\d+)", text)
        return int(found[1]) if found else 0

    coverage = re.findall(r"cov: (\d+)", text)
    growth = [int(value) for value in re.findall(r"rss: (\d+)Mb", text)]
    return {
        "target": target,
        "failed": done.returncode != 0,
        "seconds": time.monotonic() - start,
        "runs": stat("number_of_executed_units"),
        "slowest": stat("slowest_unit_time_sec"),
        "peak": stat("peak_rss_mb") or (growth[-1] if growth else 0),
        "coverage": int(coverage[-1]) if coverage else 0,
        "text": text,
    }


def report(results):
    print(f"{'target':<12}{'seconds':>8}{'inputs':>12}{'a second':>10}{'edges':>8}{'slowest':>9}{'peak MiB':>10}  result")
    for result in results:
        rate = result["runs"] / max(result["seconds"], 1)
        print(
            f"{result['target']:<12}{result['seconds']:>8.0f}{result['runs']:>12,}{rate:>10,.0f}{result['coverage']:>8,}"
            f"{result['slowest']:>8}s{result['peak']:>10}  {'FINDING' if result['failed'] else 'clean'}")
    failed = [result for result in results if result["failed"]]
    for result in failed:
        print(f"\n{result['target']}:")
        print("\n".join(result["text"].splitlines()[-60:]))
        print(f"replay: Tools/fuzz.py --target {result['target']} --replay FILE (see .build/fuzz/findings)")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60, help="for all targets together")
    parser.add_argument("--minutes-each", type=int, help="for each target")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="targets at once")
    parser.add_argument("--target", action="append", help="only this one; may be repeated")
    parser.add_argument("--logs", type=pathlib.Path, help="a folder for the whole output of each target")
    parser.add_argument("--no-build", action="store_true")
    parser.add_argument("--build", action="store_true", help="build and stop")
    parser.add_argument("--replay", nargs="+", help="inputs to run once")
    arguments = parser.parse_args()
    if not arguments.no_build:
        build()
    if arguments.build:
        return 0
    known = all_targets()
    for name in arguments.target or []:
        if name not in known:
            sys.exit(f"fuzz: there is no target {name}; there are {', '.join(known)}")
    chosen = arguments.target or list(known)
    if arguments.replay:
        if len(chosen) != 1:
            sys.exit("fuzz: name the target of the input with --target")
        return subprocess.run([str(PROGRAM), chosen[0], *arguments.replay], env=environment()).returncode
    if arguments.logs:
        arguments.logs.mkdir(parents=True, exist_ok=True)
    jobs = max(1, min(arguments.jobs, len(chosen)))
    if arguments.minutes_each:
        seconds = arguments.minutes_each * 60
    else:
        # The wall clock is shared by the targets, and targets run side by side.
        seconds = max(1, arguments.seconds * jobs // len(chosen))
    print(f"fuzz: {len(chosen)} targets, {seconds} s each, {jobs} at once", flush=True)

    def one(name):
        log = arguments.logs / f"{name}.log" if arguments.logs else None
        result = run(name, known[name], seconds, log)
        print(f"fuzz: {name}: {'FINDING' if result['failed'] else 'clean'}, {result['runs']:,} inputs", flush=True)
        return result

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return report(list(pool.map(one, chosen)))


sys.exit(main())
