#!/usr/bin/env python3
"""Checks written day documents against the export they came from, with nothing but the standard library.

    check-days.py EXPORT.zip|EXPORT.xml ZONE DAY.json...

Reads the XML itself, works out steps, sleep and heart rate of each day by the rules that the project documents (one
source wins where sources overlap; sleep from noon to noon; a record belongs to the day of its start), and compares.
It shares no code with the program: where the two disagree, one of them is wrong. Exit 1 on any difference.
"""
import datetime
import json
import re
import sys
import xml.etree.ElementTree as ElementTree
import zipfile
import zoneinfo

STEPS = "HKQuantityTypeIdentifierStepCount"
HEART = "HKQuantityTypeIdentifierHeartRate"
SLEEP = "HKCategoryTypeIdentifierSleepAnalysis"
STAGES = {
    "InBed": "inBed",
    "AsleepUnspecified": "unspecified",
    "Asleep": "unspecified",
    "AsleepCore": "core",
    "AsleepDeep": "deep",
    "AsleepREM": "rem",
    "Awake": "awake",
}


def records(path):
    """Yields (type, source, device, start, end, value) of the three types, instants as Unix seconds."""
    if zipfile.is_zipfile(path):
        archive = zipfile.ZipFile(path)
        name = next(n for n in archive.namelist() if n.endswith(".xml") and "cda" not in n)
        stream = archive.open(name)
    else:
        stream = open(path, "rb")
    depth = 0
    for event, element in ElementTree.iterparse(stream, events=("start", "end")):
        if event == "start":
            depth += 1
            continue
        depth -= 1
        if depth == 1:
            kind = element.get("type")
            if element.tag == "Record" and kind in (STEPS, HEART, SLEEP):
                yield (
                    kind,
                    element.get("sourceName"),
                    element.get("device") or "",
                    instant(element.get("startDate")),
                    instant(element.get("endDate")),
                    element.get("value"),
                )
            element.clear()


def instant(text):
    return datetime.datetime.strptime(text, "%Y-%m-%d %H:%M:%S %z").timestamp()


def local(day, zone, hour=0):
    """The instant of a local hour of a day."""
    return datetime.datetime.combine(day, datetime.time(hour), zoneinfo.ZoneInfo(zone)).timestamp()


def rank(source, device):
    """Watch before phone before others, others by name."""
    if "Watch" in source or "model:Watch" in device:
        return (0, source)
    if "iPhone" in source or "model:iPhone" in device:
        return (1, source)
    return (2, source)


def merged_sum(samples, start, end):
    """The sum of [start, end): cut at all edges, in each piece only the best source, values spread evenly."""
    spans = [s for s in samples if s[1] < end and (s[2] > start or (s[2] == s[1] and s[1] >= start))]
    edges = sorted({start, end} | {e for s in spans for e in (s[1], s[2]) if start < e < end})
    total = 0.0
    for left, right in zip(edges, edges[1:]):
        inside = [s for s in spans if s[1] <= left and s[2] >= right]
        if inside:
            best = min(s[0] for s in inside)
            total += sum(s[3] * (right - left) / (s[2] - s[1]) for s in inside if s[0] == best)
    for s in spans:
        if s[1] == s[2]:
            covering = [o for o in spans if o[1] <= s[1] < o[2]]
            if not covering or s[0] <= min(o[0] for o in covering):
                total += s[3]
    return total


def union(intervals):
    """Merged intervals, ascending."""
    result = []
    for left, right in sorted(intervals):
        if right <= left:
            continue
        if result and left <= result[-1][1]:
            result[-1][1] = max(result[-1][1], right)
        else:
            result.append([left, right])
    return result


def length(intervals):
    return sum(right - left for left, right in union(intervals))


def overlap(first, second):
    return length(first) + length(second) - length(list(map(tuple, union(first) + union(second))))


def sleep_of(samples, day, zone):
    window = (local(day, zone, 12), local(day + datetime.timedelta(days=1), zone, 12))
    stages = {name: [] for name in set(STAGES.values())}
    for stage, left, right in samples:
        left, right = max(left, window[0]), min(right, window[1])
        if right > left:
            stages[stage].append((left, right))
    asleep = stages["deep"] + stages["rem"] + stages["core"] + stages["unspecified"]
    in_bed = stages["inBed"]
    if in_bed:
        base = in_bed + asleep
        total = length(base) - overlap(stages["awake"], base)
    else:
        total = length(asleep)
    return {
        "totalDuration": max(0.0, total),
        "deepSleep": length(stages["deep"]),
        "remSleep": length(stages["rem"]),
        "coreSleep": length(stages["core"]),
        "awakeTime": length(stages["awake"]),
        "inBedTime": length(in_bed),
    }


def main():
    export, zone, paths = sys.argv[1], sys.argv[2], sys.argv[3:]
    steps, heart, sleep = [], [], []
    for kind, source, device, start, end, value in records(export):
        if kind == STEPS:
            steps.append((rank(source, device), start, end, float(value)))
        elif kind == HEART:
            heart.append((start, float(value)))
        else:
            sleep.append((STAGES[re.sub("^HKCategoryValueSleepAnalysis", "", value)], start, end))
    wrong = 0
    for path in paths:
        document = json.load(open(path, encoding="utf-8"))
        day = datetime.date.fromisoformat(document["date"])
        start, end = local(day, zone), local(day + datetime.timedelta(days=1), zone)
        beats = [value for at, value in heart if start <= at < end]
        expected = {"activity.steps": int(merged_sum(steps, start, end) + 1e-6)}
        if beats:
            expected["heart.averageHeartRate"] = sum(beats) / len(beats)
            expected["heart.heartRateMin"] = min(beats)
            expected["heart.heartRateMax"] = max(beats)
        for key, value in sleep_of(sleep, day, zone).items():
            expected["sleep." + key] = value
        for key, value in expected.items():
            section, member = key.split(".")
            found = document.get(section, {}).get(member, 0)
            slack = 1 if key == "activity.steps" else 1e-6 * max(1.0, abs(value))
            if abs(found - value) > slack:
                wrong += 1
                print(f"{day} {key}: the document says {found}, the export says {value}", file=sys.stderr)
        print(f"{day}: {len(expected)} figures compared")
    print(f"check-days: {len(paths)} days, {wrong} differences")
    return 1 if wrong or not paths else 0


sys.exit(main())
