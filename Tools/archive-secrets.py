#!/usr/bin/env python3
"""Looks for known readings and keys wherever the sealed archive must not show them.

Real service, writer, reader and local tool server on loopback, with known values: readings, a device's name, the entry of an
edit, every private key, the handoff, the claim token. Each is looked for in plain, hex, base64 and base64url (numbers also
in binary) in the service's folder and log, in every byte that is sent to the service (targets, headers, bodies) and that it
sends back, in what the programs print, and in the arguments and environment of every process at every request. That the
search finds them where they belong (mirror, key files) is checked as well.
"""
import base64
import hashlib
import hmac
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from archive_rig import Failed, PROGRAM, Proxy, Reader, Service, Writer, check, until
from sides import stop_on_terminate

HEART_RATE, STEPS, MEAL, DEVICE = 61.728395, 31_337_129, 47.135797, "Zanzibar Watch 4711"
ENTRY = "entry-of-the-edit-0815"


def export(path, day):
    path.write_text(f"""<?xml version="1.0" encoding="UTF-8"?>
<HealthData locale="en_US">
 <ExportDate value="{day} 12:00:00 +0000"/>
 <Record type="HKQuantityTypeIdentifierStepCount" sourceName="{DEVICE}" unit="count" creationDate="{day} 10:00:00 +0000" startDate="{day} 09:00:00 +0000" endDate="{day} 09:05:00 +0000" value="{STEPS}"/>
 <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="{DEVICE}" unit="count/min" creationDate="{day} 10:00:00 +0000" startDate="{day} 09:00:00 +0000" endDate="{day} 09:00:00 +0000" value="{HEART_RATE}"/>
</HealthData>
""")


def forms(secret):
    """How bytes may show, whatever stands around them."""
    found = {secret, secret.hex().encode(), secret.hex().upper().encode()}
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for shift in range(3):
            # What the neighbours have no part in, at each of the three places.
            text = encode(b"\0" * shift + secret).rstrip(b"=")
            begin, end = (0, 2, 3)[shift], len(text) - (1 if (shift + len(secret)) % 3 else 0)
            found.add(text[begin:end])
    return {form for form in found if len(form) >= 6}


def number(value):
    texts = {str(value).encode(), repr(float(value)).encode()}
    return set().union(*map(forms, texts)) | {struct.pack("<d", value), struct.pack(">d", value)}


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def private_keys(folder):
    """The raw private halves of the writer's files, and the read key, which is derived and never stored."""
    keys = {}
    for word in ("reading", "writer", "editor"):
        document = json.loads((folder / f"{word}-key.json").read_text())
        keys[f"{word} key"] = decode(document[f"{word}Private"])[-32:]
    extracted = hmac.new(b"\0" * 32, keys["reading key"], hashlib.sha256).digest()
    keys["read key"] = hmac.new(extracted, b"efferent/v1 read\x01", hashlib.sha256).digest()
    return keys


class Places:
    """Where nothing may show, with what was found there."""

    def __init__(self):
        self.bytes, self.processes = {}, set()

    def add(self, name, content):
        self.bytes[name] = self.bytes.get(name, b"") + b"\n" + content

    def look_at_processes(self, line):
        """Arguments and environment of every process of ours, while a request is on its way."""
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if not os.path.samefile(entry / "exe", PROGRAM):
                    continue
                arguments = (entry / "cmdline").read_bytes()
                self.processes.add(b" ".join(arguments.split(b"\0")[3:6] if b"--data-dir" in arguments
                                             else arguments.split(b"\0")[1:4]))
                self.add("process arguments", arguments)
                self.add("process environment", (entry / "environ").read_bytes())
                self.add("process titles", (entry / "comm").read_bytes())
            except OSError:
                # Ended meanwhile, or not ours to look at.
                continue


def run_everything(work, places):
    day = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 2 * 86_400))
    export(work / "export.xml", day)
    writer, reader = Writer(work / "writer"), Reader(work / "reader")
    writer.load(work / "export.xml")
    service = Service(work / "service").start()
    proxy = Proxy(service.port, on_request=places.look_at_processes)
    try:
        def note(run):
            places.add("what the programs print", run.output + b"\n" + run.errors)
            return run

        note(writer.init(service, url=proxy.url))
        note(writer.push())
        handoff = writer.handoff()
        note(reader.run("connect", "--handoff", "-", input=handoff))
        note(reader.sync())
        note(reader.run("status"))
        asked = reader.run("ask", "--since", day)
        check(str(STEPS).encode() in asked.output, "the reading does not arrive")
        places.add("what the programs print", asked.errors)
        when = int(time.time()) - 86_400
        note(reader.write([{"op": "put", "id": ENTRY, "metric": "dietaryProtein", "start": when, "end": when,
                            "value": MEAL, "unit": "g"}]))
        note(writer.run("archive", "writer", "edits", "--json"))
        note(writer.push())
        note(reader.sync())
        note(reader.run("edits"))
        # The local tool server, and refusals of every kind.
        calls = [{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "phone_data_sync", "arguments": {}}}]
        served = subprocess.run(
            [PROGRAM, "archive", "mcp"], input="".join(json.dumps(call) + "\n" for call in calls).encode(),
            capture_output=True, timeout=60, env={**os.environ, "EFFERENT_HOME": str(work / "reader")})
        check(served.returncode == 0, f"mcp: {served.stderr}")
        places.add("what the programs print", served.stderr)
        note(reader.run("connect", "--handoff", "-", input=handoff, checked=False))
        note(reader.run("connect", "--handoff", "-", input=handoff.replace(b"efferent-reading-v1.", b"efferent-reading-v1.x"),
                        checked=False))
        note(reader.write([{"op": "put", "id": ENTRY, "metric": "heartRate", "start": when, "end": when,
                            "value": MEAL, "unit": "g"}], checked=False))
        places.add("the service's folder", b"\n".join(
            path.read_bytes() for path in service.folder.rglob("*") if path.is_file() and path.name != "claim-token"))
        service.stop()
        note(writer.push(checked=False))
        note(reader.sync(checked=False))
        places.add("the service's folder", b"\n".join(
            path.read_bytes() for path in service.folder.rglob("*") if path.is_file() and path.name != "claim-token"))
        places.add("the service's log", service.log.read_bytes())
        for seen in proxy.requests:
            head, _, body = bytes(seen).partition(b"\r\n\r\n")
            places.add("targets", head.split(b"\r\n")[0])
            places.add("request headers", b"\n".join(
                line for line in head.split(b"\r\n")[1:] if not line.lower().startswith(b"x-efferent-claim-token:")))
            places.add("request bodies", body)
        places.add("answers", b"".join(bytes(answer) for answer in proxy.answers))
        return service, writer, reader, handoff
    finally:
        service.kill()
        proxy.close()


def main():
    stop_on_terminate()
    work = pathlib.Path(tempfile.mkdtemp(prefix="healthmd-secrets."))
    places = Places()
    try:
        service, writer, reader, handoff = run_everything(work, places)
        token = service.token.strip().encode()
        keys = private_keys(work / "writer/archive/writer")
        wanted = {"a heart rate": number(HEART_RATE), "steps": number(STEPS), "a meal": number(MEAL),
                  "a device's name": forms(DEVICE.encode()), "an entry's name": forms(ENTRY.encode()),
                  "the claim token": forms(token) | forms(decode(token.decode()))}
        wanted |= {name: forms(secret) for name, secret in keys.items()}
        for line in handoff.splitlines():
            if line.startswith(b"efferent-"):
                wanted[f"the handoff's {line.split(b'.')[0].decode()}"] = forms(line) | forms(line.rpartition(b".")[0])

        # The search itself: everything is found where it belongs.
        own = b"\n".join(path.read_bytes() for path in (work / "writer/archive/writer").glob("*.json"))
        mirror = b"\n".join(reader.days().values())
        for name in ("reading key", "writer key", "editor key"):
            # Behind 16 bytes of PKCS#8, so at another place of the base64.
            check(any(form in own for form in wanted[name]), f"the search does not find the {name}")
        for name in ("a heart rate", "steps", "a meal", "a device's name"):
            check(any(form in mirror for form in wanted[name]), f"the search does not find {name}")
        check(len(places.processes) >= 3, f"processes seen: {places.processes}")
        check(len(places.bytes) >= 10 and all(len(content) > 8 for content in places.bytes.values()),
              f"places: { {name: len(content) for name, content in places.bytes.items()} }")

        for place, content in places.bytes.items():
            for name, shapes in wanted.items():
                # What the owner asked to see on the terminal is the name that the owner gave.
                if name == "an entry's name" and place == "what the programs print":
                    continue
                shown = [form for form in shapes if form in content]
                check(not shown, f"{place} shows {name}")
        print(f"PASSED archive-secrets: {len(wanted)} secrets in {sum(map(len, wanted.values()))} forms, none in "
              f"{len(places.bytes)} places ({sum(map(len, places.bytes.values()))} bytes)")
        return 0
    except Failed as failure:
        print(f"FAILED archive-secrets: {failure}")
        return 1
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
