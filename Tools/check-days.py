#!/usr/bin/env python3
"""Checks written day documents against the export they came from, with nothing but the standard library.

    check-days.py [--quiet] EXPORT.zip|EXPORT.xml ZONE DAY.json...

Reads the XML itself, works out steps, energy, distance, sleep, heart rate and workouts of each day by the rules that
the project documents (one source wins where sources overlap; sleep from noon to noon; a record belongs to the day of its
start), compares them day by day, and the totals of all days in the end.
It shares no code with the program: where the two disagree, one of them is wrong. Exit 1 on any difference.
"""
import collections
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
# Types that are added up: the member of the document, and what one of the export's unit is in its unit.
SUMS = {
    STEPS: ("activity.steps", {"count": 1}),
    "HKQuantityTypeIdentifierActiveEnergyBurned": ("activity.activeCalories", {"kcal": 1, "Cal": 1, "kJ": 1 / 4.184}),
    "HKQuantityTypeIdentifierDistanceWalkingRunning": (
        "activity.walkingRunningDistance",
        {"km": 1000, "m": 1, "mi": 1609.344},
    ),
    "HKQuantityTypeIdentifierFlightsClimbed": ("activity.flightsClimbed", {"count": 1}),
}
# Members that are whole numbers, truncated.
WHOLE = {"activity.steps", "activity.flightsClimbed"}
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
    """Yields (type, source, device, start, end, value, unit) of these types and of workouts, instants as Unix seconds."""
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
            if element.tag == "Workout" or element.tag == "Record" and (kind in SUMS or kind in (HEART, SLEEP)):
                yield (
                    kind or element.tag,
                    element.get("sourceName"),
                    element.get("device") or "",
                    instant(element.get("startDate")),
                    instant(element.get("endDate")),
                    element.get("value"),
                    element.get("unit"),
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


class ByDay:
    """Samples by the local days that they touch, so that a day does not look at all of them."""

    def __init__(self, zone):
        self.zone = zoneinfo.ZoneInfo(zone)
        self.days = collections.defaultdict(list)
        self.known = {}

    def day(self, moment):
        # Days of a quarter of an hour are looked up once: no clock change falls inside one.
        quarter = int(moment // 900)
        if quarter not in self.known:
            self.known[quarter] = datetime.datetime.fromtimestamp(moment, self.zone).date()
        return self.known[quarter]

    def add(self, start, end, sample):
        first, last = self.day(start), self.day(end)
        while first <= last:
            self.days[first].append(sample)
            first += datetime.timedelta(days=1)


def read(export, zone):
    sums = {kind: ByDay(zone) for kind in SUMS}
    heart, sleep, workouts = ByDay(zone), ByDay(zone), ByDay(zone)
    ranks = {}
    for kind, source, device, start, end, value, unit in records(export):
        if kind in SUMS:
            best = ranks.setdefault((source, device), rank(source, device))
            sums[kind].add(start, end, (best, start, end, float(value) * SUMS[kind][1][unit]))
        elif kind == HEART:
            heart.add(start, start, (start, float(value)))
        elif kind == SLEEP:
            sleep.add(start, end, (STAGES[re.sub("^HKCategoryValueSleepAnalysis", "", value)], start, end))
        else:
            workouts.add(start, start, (source, start, end))
    return sums, heart, sleep, workouts


def expected_of(day, zone, sums, heart, sleep, workouts):
    start, end = local(day, zone), local(day + datetime.timedelta(days=1), zone)
    beats = [value for at, value in heart.days[day] if start <= at < end]
    expected = {}
    for kind, (member, _) in SUMS.items():
        total = merged_sum(sums[kind].days[day], start, end)
        expected[member] = int(total + 1e-6) if member in WHOLE else total
    if beats:
        expected["heart.averageHeartRate"] = sum(beats) / len(beats)
        expected["heart.heartRateMin"] = min(beats)
        expected["heart.heartRateMax"] = max(beats)
    night = sleep.days[day] + [s for s in sleep.days[day + datetime.timedelta(days=1)] if s not in sleep.days[day]]
    for key, value in sleep_of(night, day, zone).items():
        expected["sleep." + key] = value
    expected["workouts"] = len(set(workouts.days[day]))
    return expected


def main():
    arguments = sys.argv[1:]
    is_quiet = "--quiet" in arguments
    export, zone, *paths = [word for word in arguments if word != "--quiet"]
    source = read(export, zone)
    totals, found_totals = collections.Counter(), collections.Counter()
    wrong = 0
    for path in paths:
        document = json.load(open(path, encoding="utf-8"))
        day = datetime.date.fromisoformat(document["date"])
        expected = expected_of(day, zone, *source)
        for key, value in expected.items():
            if key == "workouts":
                found = len(document.get("workouts", []))
            else:
                section, member = key.split(".")
                found = document.get(section, {}).get(member, 0)
            totals[key] += value
            found_totals[key] += found
            slack = 1 if key in WHOLE else 1e-6 * max(1.0, abs(value))
            if abs(found - value) > slack:
                wrong += 1
                print(f"{day} {key}: the document says {found}, the export says {value}", file=sys.stderr)
        if not is_quiet:
            print(f"{day}: {len(expected)} figures compared")
    for key in sorted(totals):
        if not key.startswith("heart."):
            print(f"{key}: {found_totals[key]:,.1f} in the documents, {totals[key]:,.1f} in the export")
    print(f"check-days: {len(paths)} days, {wrong} differences")
    return 1 if wrong or not paths else 0


sys.exit(main())
