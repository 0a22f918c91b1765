#!/usr/bin/env python3
"""Ten years of days through the sealed archive: real service, writer and reader on loopback, requests counted on the way.

    archive-decade.py [--days 3650] [--records-per-day 60]

  - the first push sends every day, a month a request; a second push sends nothing;
  - `sync` into a new profile takes about fifty requests, and every day is what `archive reader read` gives;
  - the days say what was imported: each day's total of steps equals the phone side's own document of that day (a sample);
  - a sealed day that is deleted from the service's folder goes again with the next daily check.
"""
import argparse
import datetime
import json
import pathlib
import shutil
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from archive_rig import Failed, Proxy, Reader, Service, Writer, check, make_export, same_days
from sides import stop_on_terminate

SAMPLE = 40




def steps_agree(writer, reader, days):
    """The archive's totals beside the documents that the phone side renders from the same store."""
    first, last = min(days), max(days)
    compared = 0
    span = (datetime.date.fromisoformat(last) - datetime.date.fromisoformat(first)).days
    for number in range(SAMPLE):
        day = (datetime.date.fromisoformat(first) + datetime.timedelta(days=span * number // SAMPLE)).isoformat()
        events = [json.loads(line) for line in days[day].splitlines()]
        totals = [event["value"] for event in events if event["metric"] == "steps" and event.get("bucket") == "day"]
        shown = json.loads(writer.run("phone", "show", day).output)
        steps = (shown.get("activity") or {}).get("steps")
        check([int(total) for total in totals] == ([] if steps is None else [steps]),
              f"{day}: {totals} steps in the archive, {steps} in the document")
        compared += bool(totals)
    check(compared > SAMPLE // 2, f"only {compared} days had steps")
    return compared


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=int, default=3_650)
    parser.add_argument("--records-per-day", type=int, default=60)
    arguments = parser.parse_args()
    stop_on_terminate()
    work = pathlib.Path(tempfile.mkdtemp(prefix="healthmd-decade."))
    service = None

    def timed(name, work_to_do):
        begun = time.monotonic()
        result = work_to_do()
        times[name] = time.monotonic() - begun
        return result

    times = {}
    try:
        make_export(work / "export.xml", arguments.days, arguments.records_per_day)
        writer = Writer(work / "writer")
        timed("import", lambda: writer.load(work / "export.xml"))
        # A decade is more than the 300 uploads that one address has in a minute only beyond 9,000 days.
        service = Service(work / "service").start()
        proxy = Proxy(service.port)
        writer.init(service, url=proxy.url)
        proxy.take()
        first = timed("first push", writer.push).document
        asked = proxy.take()
        uploads = [line for line in asked if line.startswith("PUT")]
        days = first["sent"]
        check(days >= arguments.days and first["owed"] == 0, f"first push: {first}")
        check(len(uploads) == -(-days // 31), f"{len(uploads)} uploads for {days} days")
        print(f"first push: {days} days in {len(uploads)} uploads, {len(asked)} requests in all, {times['first push']:.1f} s")

        second = timed("second push", writer.push).document
        again = proxy.take()
        check(second["sent"] == 0 and not [line for line in again if line.startswith("PUT")], f"second push: {second}")
        print(f"second push: nothing sent, {len(again)} requests, {second['looked_at']} days looked at")

        reader = Reader(work / "reader").connect(writer.handoff())
        timed("sync", reader.sync)
        asked = proxy.take()
        listings = [line for line in asked if "/days" in line]
        check(len(asked) <= 60, f"{len(asked)} requests for a sync")
        held = reader.days()
        check(len(held) == days and reader.recorded() == set(held), f"{len(held)} days mirrored")
        print(f"sync: {len(held)} days in {len(asked)} requests ({len(listings)} pages of the listing, "
              f"{len(asked) - len(listings)} ranges), {times['sync']:.1f} s")
        check(b"Nothing has changed" in reader.sync().output, "a second sync")
        check(len(proxy.take()) == len(listings), "a second sync asks for more than the listing")

        # Another way to the same days.
        whole = timed("read", lambda: reader.run("read")).output
        check(whole == b"".join(held[day] for day in sorted(held)), "read differs from the mirror")
        proxy.take()
        other = Reader(work / "other").connect(writer.handoff())
        other.sync()
        same_days(other.days(), held, "another profile")
        compared = steps_agree(writer, reader, held)
        print(f"every day equal in two profiles and in read ({len(whole)} bytes, {whole.count(10)} events); "
              f"steps of {compared} days equal to the phone side's documents")

        files = service.files()
        name, path = sorted(files.items())[len(files) // 3]
        lost = name.split("/")[1][:10]
        path.unlink()
        proxy.take()
        check(writer.push().document["sent"] == 0, "before the daily check")
        writer.forget_daily_check()
        found = writer.push().document
        asked = proxy.take()
        check(found["missing_in_archive"] == 1 and found["sent"] == 1, f"after the loss of {lost}: {found}")
        check("1 days copied" in reader.sync().output.decode(), f"{lost} was not copied again")
        same_days(reader.days(), held, "after the loss")
        print(f"{lost} deleted from the service's folder: the daily check sent it again ({len(asked)} requests)")
        service.stop()
        print(f"PASSED archive-decade: {days} days")
        return 0
    except Failed as failure:
        print(f"FAILED archive-decade: {failure}")
        return 1
    finally:
        if service:
            service.kill()
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
