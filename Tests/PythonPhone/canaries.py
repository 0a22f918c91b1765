#!/usr/bin/env python3
"""Health values stay where they belong, and everything that is written is private, whatever the umask.

    canaries.py HEALTHMD-BINARY WORK-FOLDER

An export in which every field holds a value that stands nowhere else is imported, sent, exported, extracted and asked
for wrongly, by real processes that inherited an umask of 000. None of the values may appear in a log, on standard
error, in an error document, in a journal, in a process's arguments or environment. Every file and folder of both
states and of the destination is 0600 and 0700.
"""
import json
import os
import pathlib
import signal
import stat
import subprocess
import sys

from interop import DAYS, ZONE, Export, Receiver, until

FIRST, LAST = str(DAYS[0]), str(DAYS[-1])
NUMBER, TEXT, BIRTH = "61.70707", "Qzkanary", "1911-11-09"
CANARIES = [NUMBER.encode(), TEXT.encode(), BIRTH.encode()]


class CanaryExport(Export):
    """Each field of the format holds a canary; two records are broken in the field that holds it."""

    def xml(self):
        when = 'creationDate="2026-03-28 08:00:00 +0000" startDate="2026-03-28 08:00:00 +0000" ' \
            'endDate="2026-03-28 08:10:00 +0000"'
        source = f'sourceName="{TEXT} source" sourceVersion="{TEXT}1" device="&lt;&lt;HKDevice: 0x1&gt;, name:{TEXT}&gt;"'
        meta = f'<MetadataEntry key="{TEXT}Key" value="{TEXT} metadata"/>'
        extra = [
            f'<Me HKCharacteristicTypeIdentifierDateOfBirth="{BIRTH}" HKCharacteristicTypeIdentifierBloodType="{TEXT}"/>',
            f'<Record type="HKQuantityTypeIdentifierHeartRate" {source} unit="count/min" {when} value="{NUMBER}">{meta}'
            f'<HeartRateVariabilityMetadataList><InstantaneousBeatsPerMinute bpm="{NUMBER}" time="8:00:01,00 AM"/>'
            '</HeartRateVariabilityMetadataList></Record>',
            f'<Record type="HKQuantityTypeIdentifierBodyMass" {source} unit="kg" {when} value="{NUMBER}"/>',
            f'<Record type="HKQuantityTypeIdentifierBodyMass" {source} unit="kg" {when} value="{TEXT}"/>',
            f'<Record type="HKQuantityTypeIdentifierHeight" {source} unit="{TEXT}" {when} value="{NUMBER}"/>',
            f'<Record type="HKCategoryTypeIdentifierSleepAnalysis" {source} {when} value="{TEXT}"/>',
            f'<Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="{NUMBER}" durationUnit="min" {source} '
            f'{when}>{meta}<WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" {when[42:]} '
            f'sum="{NUMBER}" unit="kcal"/></Workout>',
            f'<ClinicalRecord type="{TEXT}" identifier="{TEXT}" sourceName="{TEXT}" resourceFilePath="/clinical-records/1.json"/>',
            f'<NewElement value="{NUMBER}"/>',
        ]
        head, rest = super().xml().split("<ExportDate", 1)
        date, records = rest.split("\n", 1)
        return head + "<ExportDate" + date + "\n" + "\n".join(extra) + "\n" + records


def check(text, place):
    """Fails when a canary is in the text. Says which and where, not what stands around it."""
    for canary in CANARIES:
        assert canary not in text, f"{canary.decode()} in {place}: " + repr(text[max(0, text.find(canary) - 80):][:200])


def check_processes(*processes):
    for process in processes:
        for name in ("cmdline", "environ", "comm"):
            check(pathlib.Path(f"/proc/{process.pid}/{name}").read_bytes(), f"{name} of a process")


def check_modes(*folders):
    count = 0
    for folder in folders:
        for path in folder.rglob("*"):
            info = path.lstat()
            if stat.S_ISDIR(info.st_mode):
                wanted = 0o700
            elif stat.S_ISREG(info.st_mode) or stat.S_ISSOCK(info.st_mode):
                wanted = 0o600
            else:
                raise AssertionError(f"{path} is neither file nor folder")
            assert stat.S_IMODE(info.st_mode) == wanted, f"{path} has {oct(stat.S_IMODE(info.st_mode))}"
            count += 1
    return count


def main():
    program, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    os.umask(0)
    os.chmod(folder, 0o700)
    receiver = Receiver(program, folder / "desk")
    os.chmod(receiver.files, 0o700)
    state, xml = folder / "phone-state", folder / "export.xml"
    xml.write_text(CanaryExport().xml(), encoding="utf-8")
    checked = 0

    def run(data, *arguments, status=None, check_output=False, is_report=False, **options):
        """Runs a command; its standard error, and on demand its output, must hold no canary. A report holds data."""
        nonlocal checked
        done = subprocess.run([program, "--data-dir", data, *arguments], capture_output=True, timeout=120, **options)
        check(done.stderr, f"standard error of {arguments}")
        if check_output or (done.returncode != 0 and not is_report):
            check(done.stdout, f"output of {arguments}")
        if status is not None:
            assert done.returncode == status, f"{arguments}: exit {done.returncode}: {done.stderr[-500:]}"
        checked += 1
        return done.stdout

    log = open(folder / "phone-log", "wb")
    serve = None
    try:
        run(state, "phone", "import", xml, "--time-zone", ZONE, status=0)
        run(state, "phone", "status", status=0, check_output=True)
        run(state, "health-export", "inspect", folder / "nothing.xml", status=1)
        broken = folder / "broken.xml"
        broken.write_bytes(xml.read_bytes()[:-900])
        run(state, "phone", "import", broken, "--time-zone", ZONE, is_report=True)
        pairing = json.loads(receiver.run("pair", "--no-wait"))
        run(state, "phone", "pair", f"127.0.0.1:{receiver.runtime['peer_port']}", input=pairing["code"].encode(), status=0)
        serve = subprocess.Popen([program, "--data-dir", state, "phone", "serve"], stdout=log, stderr=log)
        until(receiver.connected, "our phone connects")
        dates = ("--from", FIRST, "--to", LAST)
        run(receiver.state, "export", *dates, status=0, check_output=True)
        run(receiver.state, "export", *dates, "--detail", "lossless", check_output=True)
        document = run(receiver.state, "export", *dates, "--raw", is_report=True)
        assert NUMBER.encode() in document, "the canaries travel, or this test shows nothing"
        run(receiver.state, "extract", *dates, "--category", "Heart", is_report=True)
        run(receiver.state, "extract", *dates, "--pointer", f"/{TEXT}", is_report=True)
        for arguments in (("jobs",), ("status",), ("devices",), ("doctor",), ("destination", "show")):
            run(receiver.state, *arguments, check_output=True)
        for jobs in json.loads(run(receiver.state, "jobs", "--json")).get("jobs", []):
            run(receiver.state, "jobs", "verify", jobs["job_id"], check_output=True)
        check_processes(receiver.process, serve)
        for path, body in (("/v1/exports", {"from": NUMBER, "to": TEXT}), ("/v1/exports", [TEXT]),
                           (f"/v1/{TEXT}", {}), ("/v1/exports", {"job_id": TEXT, "dates": BIRTH})):
            check(json.dumps(receiver.api("POST", path, body)).encode(), f"answer of POST {path}")
        # A written file in which a day is broken: the error names the place, not the value.
        written = next(receiver.files.rglob(f"{FIRST}.json"))
        damaged = folder / "damaged.json"
        damaged.write_bytes(written.read_bytes().replace(b'"schema_version"', b'"schema_versiom"'))
        run(receiver.state, "render", damaged, "--format", "csv", check_output=True)
    finally:
        if serve:
            serve.send_signal(signal.SIGTERM)
            serve.wait(timeout=30)
        log.close()
        receiver.stop()
    check((folder / "phone-log").read_bytes(), "the log of the phone side")
    check((folder / "desk" / "log").read_bytes(), "the log of the receiver")
    journals = list((receiver.state / "receiver").glob("*.sqlite*"))
    assert journals, "the receiver keeps a journal"
    for journal in journals:
        check(journal.read_bytes(), f"the journal {journal.name}")
    entries = check_modes(receiver.state, receiver.files, state)
    print(f"canaries: {checked} commands told nothing, {entries} files and folders are private")


if __name__ == "__main__":
    main()
