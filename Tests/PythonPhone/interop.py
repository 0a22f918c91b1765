#!/usr/bin/env python3
"""A phone that knows only the published protocol gives the same files as ours.

    interop.py HEALTHMD-BINARY WORK-FOLDER

Writes a small export, lets our own phone side deliver it to one receiver, then plays a phone of its own: pairs with
six digits, approved through the control API, answers the export request over plain Manual IP with JSON chunks and a
window of 1, breaks off in the middle, reconnects with its secret, resumes and finalizes, to a second receiver. The two
trees must be equal, byte for byte. Exit 0 and one line when they are.
"""
import datetime
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
import zoneinfo

import corpus
import manual_ip
from corpus import EPOCH, Date, Signed

ZONE = "Europe/Berlin"
DAYS = [datetime.date(2026, 3, 27) + datetime.timedelta(days=n) for n in range(5)]  # holds a clock change
WATCH = ('sourceName="Robin’s Apple Watch" sourceVersion="11.3" device="&lt;&lt;HKDevice: 0x1&gt;, name:Apple Watch, '
         'manufacturer:Apple Inc., model:Watch, hardware:Watch7,5, software:11.3&gt;"')


def local(day, hour=0, minute=0):
    return datetime.datetime.combine(day, datetime.time(hour, minute), zoneinfo.ZoneInfo(ZONE))


class Export:
    """Five invented days: steps, heart rate, sleep, body mass; as XML, and as the records that a phone would send."""

    def __init__(self):
        self.lines = []
        self.records = {day: self.empty(day) for day in DAYS}
        for n, day in enumerate(DAYS):
            record = self.records[day]
            steps = [1200 + 100 * n, 3400 + n]
            for hour, count in zip((9, 17), steps):
                self.add("HKQuantityTypeIdentifierStepCount", local(day, hour), 1800, count, "count")
            record["activity"]["steps"] = Signed(sum(steps))
            beats = [52.0 + n, 61.0, 97.0 + 2 * n, 64.0]
            for hour, beat in zip((3, 8, 12, 20), beats):
                self.add("HKQuantityTypeIdentifierHeartRate", local(day, hour), 0, beat, "count/min")
            record["heart"].update(averageHeartRate=sum(beats) / 4, heartRateMin=min(beats), heartRateMax=max(beats))
            self.add("HKQuantityTypeIdentifierRestingHeartRate", local(day, 7), 0, 50.0 + n, "count/min")
            record["heart"]["restingHeartRate"] = 50.0 + n
            if n == 2:
                self.add("HKQuantityTypeIdentifierBodyMass", local(day, 7, 30), 0, 71.4, "kg")
                record["body"]["weight"] = 71.4
            if n < 4:
                self.night(day, record)

    def empty(self, day):
        return {
            "date": Date(local(day).timestamp() - EPOCH), "timeContext": {"calendarTimeZoneIdentifier": ZONE},
            "sleep": {k: 0.0 for k in ("totalDuration", "deepSleep", "remSleep", "coreSleep", "awakeTime", "inBedTime")}
            | {"stages": []},
            "activity": {}, "heart": {"heartRateSamples": [], "hrvSamples": []},
            "vitals": {"bloodOxygenSamples": [], "bloodGlucoseSamples": [], "respiratoryRateSamples": [],
                       "bloodPressureSamples": []},
            "body": {}, "nutrition": {}, "mindfulness": {"stateOfMind": []}, "mobility": {}, "hearing": {},
            "reproductiveHealth": {}, "cyclingPerformance": {}, "vitamins": {}, "minerals": {},
            "symptoms": {"counts": {}, "samples": []}, "other": {}, "workouts": [], "partialFailures": [],
            "healthKitRecordCaptureStatus": "notRequested"}

    def night(self, day, record):
        begin = local(day, 23).timestamp()
        parts = [("core", 5400), ("deep", 4200), ("awake", 600), ("rem", 6000), ("core", 7800)]
        names = {"core": "AsleepCore", "deep": "AsleepDeep", "awake": "Awake", "rem": "AsleepREM"}
        sleep, at = record["sleep"], begin
        for stage, seconds in parts:
            self.add("HKCategoryTypeIdentifierSleepAnalysis", at, seconds, "HKCategoryValueSleepAnalysis" + names[stage])
            key = stage + ("Time" if stage == "awake" else "Sleep")
            sleep[key] += float(seconds)
            at += seconds
        sleep["totalDuration"] = float(sum(s for stage, s in parts if stage != "awake"))
        sleep["sessionStart"], sleep["sessionEnd"] = Date(begin - EPOCH), Date(at - EPOCH)

    def add(self, kind, start, seconds, value, unit=None):
        start = start if isinstance(start, float) else start.timestamp()
        show = lambda t: datetime.datetime.fromtimestamp(t, datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S +0000")
        unit = f' unit="{unit}"' if unit else ""
        self.lines.append(f' <Record type="{kind}" {WATCH}{unit} creationDate="{show(start + seconds)}" '
                          f'startDate="{show(start)}" endDate="{show(start + seconds)}" value="{value}"/>')

    def xml(self):
        return ('<?xml version="1.0" encoding="UTF-8"?>\n<HealthData locale="en_US">\n <ExportDate value="2026-04-02 '
                '10:00:00 +0200"/>\n' + "\n".join(sorted(self.lines)) + "\n</HealthData>\n")


class Receiver:
    """One daemon with its own state and destination."""

    def __init__(self, program, folder, peer_port=0):
        self.program, self.state, self.files = program, folder / "state", folder / "files"
        self.folder, self.peer_port = folder, peer_port
        self.files.mkdir(parents=True)
        self.launch()

    def launch(self):
        runtime = self.state / "receiver" / "runtime.json"
        runtime.unlink(missing_ok=True)
        self.log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen(
            [self.program, "--data-dir", self.state, "serve", "--control-port", "0", "--peer-port", str(self.peer_port),
             "--peer-address", "127.0.0.1", "--destination", self.files], stderr=self.log, stdout=self.log)
        until(lambda: runtime.exists() or self.process.poll() is not None, "receiver start")
        self.runtime = json.loads(runtime.read_text())
        self.token = (self.state / "receiver" / "control-token").read_text().strip()

    def run(self, *arguments, check=True):
        done = subprocess.run([self.program, "--data-dir", self.state, *arguments], capture_output=True, timeout=120)
        if check and done.returncode != 0:
            raise RuntimeError(f"{arguments}: exit {done.returncode}\n{done.stdout.decode()}\n{done.stderr.decode()}")
        return done.stdout

    def start(self, *arguments):
        return subprocess.Popen([self.program, "--data-dir", self.state, *arguments], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def api(self, method, path, body=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.runtime['control_port']}{path}", method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": "Bearer " + self.token, "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            return json.load(error)

    def connected(self):
        return self.api("GET", "/v1/status")["iphone"]["connected"]

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.log.close()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=30)
        self.log.close()

    def tree(self):
        return {str(p.relative_to(self.files)): p.read_bytes() for p in sorted(self.files.rglob("*")) if p.is_file()}


GENERATED = re.compile(rb'("?generated_at"?[^0-9]*)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ')


def timeless(files):
    """Files by their names without what tells when they were made, which roll-ups do and nothing else."""
    return {name: GENERATED.sub(rb"\1", content) for name, content in files.items()}


def until(condition, what, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.05)


class Phone:
    """Our own phone side, with an export in a state of its own."""

    def __init__(self, program, folder, export):
        self.program, self.state, self.folder, self.process = program, folder / "phone-state", folder, None
        self.run("import", export, "--time-zone", ZONE)

    def run(self, *arguments, **options):
        return subprocess.run([self.program, "--data-dir", self.state, "phone", *arguments], check=True,
                              capture_output=True, timeout=120, **options).stdout

    def connect(self, receiver):
        """Pairs, serves, and waits until the receiver has it."""
        pairing = json.loads(receiver.run("pair", "--no-wait"))
        self.run("pair", f"127.0.0.1:{receiver.runtime['peer_port']}", input=pairing["code"].encode())
        self.start()
        until(receiver.connected, "our phone connects")

    def start(self):
        self.log = open(self.folder / "phone-log", "ab")
        self.process = subprocess.Popen([self.program, "--data-dir", self.state, "phone", "serve"], stderr=self.log,
                                        stdout=self.log)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.log.close()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(timeout=30)
            self.log.close()


def ours(program, receiver, folder, export):
    """Our own phone side delivers the export; returns its settings and its documents."""
    xml = folder / "export.xml"
    xml.write_text(export.xml(), encoding="utf-8")
    phone = Phone(program, folder, xml)
    try:
        phone.connect(receiver)
        receiver.run("export", "--from", str(DAYS[0]), "--to", str(DAYS[-1]))
    finally:
        phone.stop()
    settings = json.loads(phone.run("settings", "show", "--json"))
    return settings.get("settings", settings), {day: phone.run("show", str(day)) for day in DAYS}


CAPABILITIES = {
    "protocolVersion": 2, "appVersion": "1.0", "buildNumber": "1", "platform": "iOS", "supportsMacExportJobs": True,
    "supportsMacDestinationStatus": True, "supportsJobCancellation": True, "supportsGranularPayloads": True,
    "supportsAuthoritativeMacExportFileAccounting": True, "supportsIPhoneExportRequests": True,
    "supportsSizeBoundedConnectedTransfers": True, "supportsStrictRawStreaming": True,
    "supportsPartitionedConnectedExports": True, "supportsDurableConnectedExportRecovery": True,
    "supportsCanonicalHealthDataSelection": True, "supportsManualIPSync": True,
    "connectedCorpusTransferCapabilities": {
        "protocolVersions": [1, 2, 3, 4],
        "partitionTargetBounds": {"minimumBytes": 33554432, "preferredBytes": 50331648, "maximumBytes": 67108864}},
    "connectedTransferBinaryFrameVersions": [1], "connectedTransferMaximumInFlightChunks": 4,
    "canonicalArchiveSchemaVersions": [1], "canonicalRawResultSchemaVersions": [1]}


class PythonPhone:
    def __init__(self, receiver, settings, export, documents):
        self.receiver, self.settings, self.export, self.documents = receiver, settings, export, documents
        self.id = uuid.uuid4()

    def connect(self):
        connection = manual_ip.Connection("127.0.0.1", self.receiver.runtime["peer_port"], self.id)
        connection.reconnect(self.secret, self.peer)
        self.greet(connection)
        return connection

    def greet(self, connection):
        connection.send({"hello": {"_0": dict(CAPABILITIES, installationID=str(self.id).upper())}})
        hello = connection.receive()["hello"]["_0"]
        assert uuid.UUID(hello["installationID"]) == connection.peer
        assert hello["platform"] == "macOS" and hello["supportsMacExportJobs"]

    def pair(self):
        """Six digits, approved by a person through the control API."""
        pairing = self.receiver.api("POST", "/v1/pairing", {"code_style": "phone_app"})
        assert len(pairing["code"]) == 6 and pairing["code"].isdigit(), "a phone app types six digits"
        route = "/v1/pairing/" + pairing["pairing_id"]
        connection = manual_ip.Connection("127.0.0.1", self.receiver.runtime["peer_port"], self.id)
        self.secret, self.peer = connection.pair(pairing["code"]), connection.peer
        self.greet(connection)
        until(lambda: self.receiver.api("GET", route)["state"] == "awaiting_approval", "the pairing waits for approval")
        self.receiver.api("POST", route + "/approve", {"accept": True})
        until(lambda: self.receiver.api("GET", route)["state"] == "paired", "the pairing is approved")
        connection.close()
        until(lambda: not self.receiver.connected(), "the phone is gone")

    def manifest(self, request, mode):
        dates = [corpus.plain(local(day).timestamp() - EPOCH) for day in DAYS]
        manifest = {
            "mode": mode, "createdAt": corpus.now(), "sourceDeviceName": "Python phone",
            "sourceTimeZoneIdentifier": ZONE, "dateRangeStart": dates[0], "dateRangeEnd": dates[-1],
            "requestedDates": dates, "requestedDateIdentifiers": [str(day) for day in DAYS], "transferDates": dates,
            "settingsSnapshot": self.settings}
        for key in ("rawProfile", "canonicalSelection"):
            if key in request:
                manifest[key] = request[key]
        return manifest, dates

    def requested(self, connection):
        while True:
            message = connection.receive()
            if "iphoneExportRequest" in message:
                request = message["iphoneExportRequest"]["_0"]
                connection.send({"iphoneExportAccepted": {"_0": {"jobID": request["jobID"],
                                                                 "acceptedAt": corpus.now()}}})
                return request

    def binding(self):
        return {"sourceInstallationID": str(self.id).upper(), "destinationInstallationID": str(self.peer).upper()}

    def files(self):
        """Answers a file export; breaks off after the first partition, comes back and resumes."""
        connection = self.connect()
        client = self.receiver.start("export", "--from", str(DAYS[0]), "--to", str(DAYS[-1]))
        request = self.requested(connection)
        assert request["requestedDateIdentifiers"] == [str(day) for day in DAYS]
        manifest, dates = self.manifest(request, "write_files")
        items = [(date, corpus.item(1, {
            "externalDailyRecords": [], "isRequestedDate": True, "sourceDate": Date(date),
            "record": self.export.records[day]})) for date, day in zip(dates, DAYS)]
        session = corpus.Session(request["jobID"], self.binding(), manifest, "mac_health_day", items, budget=4_000)
        assert len(session.partitions) > 2
        session.run(connection, stop_after=0)
        connection.close()
        client.communicate(timeout=60)
        assert client.returncode == 1, "a client whose phone went away is told that the job is unfinished"

        connection = self.connect()
        assert self.requested(connection)["jobID"] == request["jobID"], "the stored request comes again after hello"
        client = self.receiver.start("resume", request["jobID"])
        acknowledgement, result = session.run(connection)
        assert acknowledgement["accepted"] and acknowledgement["successCount"] == len(DAYS), acknowledgement
        assert result["status"] == "success", result
        out, errors = client.communicate(timeout=60)
        assert client.returncode == 0, (out, errors)
        connection.close()

    def extract(self):
        """Answers `extract`: the documents arrive unchanged but for white space."""
        connection = self.connect()
        target = self.receiver.files.parent / "extract.json"
        client = self.receiver.start("extract", "--from", str(DAYS[0]), "--to", str(DAYS[-1]), "--all-metrics",
                                     "--output", str(target))
        request = self.requested(connection)
        assert request["responseMode"] == "rawJSON" and request["rawProfile"] == "health_data_projection"
        manifest, dates = self.manifest(request, "strict_raw")
        counts = {key: Signed(0) for key in ("cancelled", "failure", "skipped", "success", "unsupported")}
        items = [(date, corpus.item(2, {"sourceDate": Date(date), "day": {
            "canonical_daily_json": self.documents[day].decode(), "capture_status": "notRequested", "date": str(day),
            "integrity_warning_codes": [], "integrity_warning_count": Signed(0), "partial_failure_count": Signed(0),
            "partial_failure_types": [], "query_status_counts": counts, "record_count": Signed(0),
            "sample_count": Signed(0), "status": "complete"}})) for date, day in zip(dates, DAYS)]
        session = corpus.Session(request["jobID"], self.binding(), manifest, "strict_raw_day", items)
        acknowledgement, _ = session.run(connection)
        assert acknowledgement["accepted"], acknowledgement
        out, errors = client.communicate(timeout=60)
        assert client.returncode == 0, (out, errors)
        connection.close()
        found = json.loads(target.read_text())["health_data"]
        assert found == [json.loads(self.documents[day]) for day in DAYS]


def main():
    program, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    export = Export()
    receivers = []
    try:
        receivers.append(Receiver(program, folder / "ours"))
        settings, documents = ours(program, receivers[0], folder, export)
        receivers.append(Receiver(program, folder / "python"))
        phone = PythonPhone(receivers[1], settings, export, documents)
        phone.pair()
        phone.files()
        phone.extract()
        first, second = receivers[0].tree(), receivers[1].tree()
        assert len(first) >= 2 * len(DAYS), list(first)
        assert list(first) == list(second), (list(first), list(second))
        for name in first:
            assert first[name] == second[name], f"{name} differs:\n{first[name].decode()}\n---\n{second[name].decode()}"
        print(f"interop: {len(first)} files, equal from both phones")
    finally:
        for receiver in receivers:
            receiver.stop()


if __name__ == "__main__":
    main()
