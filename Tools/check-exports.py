#!/usr/bin/env python3
"""The real program on every kind of export that the generator makes: locales, document types, hazards, the traps.

    Tools/check-exports.py [--trap-steps 200000]

Each export is inspected and its biomarkers are proposed. What comes must be the known answers, or a coded error that names
the file; never no records without a word, a signal, or a stack trace. Prints a closing table; exit 1 when one differs.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("HEALTHMD", str(ROOT / ".build/release/healthmd"))
LOCALES = ["de_DE", "en_GB", "en_US", "es_ES", "fi_FI", "fr_FR", "ja_JP", "nb_NO", "ru_RU", "zh_CN", "zh_TW"]
DOCUMENT_TYPES = ["none", "11", "12", "12-broken", "13", "14", "14-zones"]
HAZARDS = ["crlf", "bom", "control", "charref", "bad-utf8", "dup-attr", "dup-records", "raw-amp", "odd-values", "odd-dates",
           "no-value", "nested-only", "quotes", "long-attr", "truncate-xml", "cda-junk", "descriptor", "zip64", "stored",
           "nested", "no-utf8-flag", "macosx", "truncate-zip"]
# biomarkers.md 1.1, as they are shown.
ANSWERS = {"resting_heart_rate": "62", "hrv_60_day_mean": "60.0", "spo2": "97.0", "vo2_max": "38.5",
           "blood_pressure_systolic": "118", "blood_pressure_diastolic": "76", "fasting_glucose": "92"}
# One more pair of pressures stands in the file of this hazard.
NESTED_ONLY = {"blood_pressure_systolic": "119", "blood_pressure_diastolic": "77"}


def healthmd(state, *words):
    done = subprocess.run([PROGRAM, "--data-dir", state, *map(str, words)], capture_output=True, text=True, timeout=300)
    if done.returncode < 0 or "Fatal error" in done.stderr or "Stack dump" in done.stderr:
        raise AssertionError(f"{words[0]} ended with {done.returncode}: {done.stderr[-300:]}")
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError:
        raise AssertionError(f"{words[0]}: no document on standard output: {done.stdout[:200]!r}") from None


def check(work, steps, name, flags, form="zip"):
    """Runs one export; raises AssertionError with what is wrong."""
    path = work / ("export." + form)
    state = work / "state"
    subprocess.run(
        [sys.executable, ROOT / "Tools/make_health_export.py", f"--{form}", path, "--days", "70", "--records-per-day", "36",
         "--traps", "--trap-steps", str(steps), "--route-points", "2", "--ecgs", "1", "--quiet", *flags], check=True)
    status, inspection = healthmd(state, "health-export", "inspect", path)
    proposed, report = healthmd(state, "biomarkers", "propose", path, "--json")
    if name == "truncate-zip":
        for code, document in ((status, inspection), (proposed, report)):
            assert code == 1 and document.get("error") == "truncated_archive", f"not refused: {code} {document.get('error')}"
            assert str(path.name) in json.dumps(document), "the refusal does not name the file"
        status, inspection = healthmd(state, "health-export", "inspect", path, "--rescue")
        assert status == 0 and not inspection["complete"] and inspection["records"] > 0, "nothing was rescued"
        return
    assert inspection["records"] > 0, "no records"
    values = {proposal["id"]: proposal for proposal in report["proposals"]}
    if name == "truncate-xml":
        assert status == 1 and proposed == 1, f"an incomplete file ended with {status} and {proposed}"
        assert inspection["broken_off_at"]["offset"] > 0 and not report["source"]["complete"]
        assert values and all(
            any(warning["code"] == "incomplete_source" for warning in value["warnings"]) for value in values.values())
        return
    assert status == 0 and proposed == 0, f"ended with {status} and {proposed}"
    for key, shown in (ANSWERS | (NESTED_ONLY if name == "nested-only" else {})).items():
        if key == "fasting_glucose" and name == "lab-wins":
            shown = "88"
        assert key in values and values[key]["display"] == shown, f"{key}: {values.get(key, {}).get('display')} for {shown}"
    assert values["resting_heart_rate"]["used"] == 29 and values["hrv_60_day_mean"]["used"] == 40, "other windows"
    assert report["dropped"]["HKQuantityTypeIdentifierStepCount"] >= steps, "steps were not counted"
    assert not any("step" in key for key in values), "steps were proposed"
    assert any(entry.get("loinc") == "630-4" and entry["value_text"] == "No growth" for entry in report["unplaceable"])
    if name == "lab-wins":
        assert values["fasting_glucose"]["origin"] == "lab" and values["fasting_glucose"]["superseded"]["display"] == "92"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trap-steps", type=int, default=200_000, help="step records of the two exports with the traps")
    options = parser.parse_args()
    cases = [("traps", [], options.trap_steps), ("lab-wins", ["--lab-wins"], options.trap_steps)]
    cases += [(name, ["--locale", name], 200) for name in LOCALES]
    cases += [("dtd " + name, ["--dtd", name], 200) for name in DOCUMENT_TYPES]
    cases += [(name, ["--hazard", name], 200) for name in HAZARDS]
    failed = 0
    for name, flags, steps in cases:
        with tempfile.TemporaryDirectory(prefix="healthmd-exports.") as folder:
            try:
                check(pathlib.Path(folder), steps, name, flags)
                print(f"  right   {name}", flush=True)
            except AssertionError as error:
                failed += 1
                print(f"  WRONG   {name}: {error}", flush=True)
    print(f"check-exports: {len(cases)} exports, {failed} wrong")
    return 1 if failed else 0


sys.exit(main())
