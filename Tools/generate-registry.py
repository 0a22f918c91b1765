#!/usr/bin/env python3
"""Write the metric registry and the line tables of the daily files as Swift text tables.

Reads metrics.json and format-constants.json of the specification (beside the checkout, or in the folder that
HEALTHMD_SHARED names) and writes Sources/HealthData/Registry/RegistryTable.swift and FormatTable.swift.
A table is one string literal of tab-separated lines, because large literals of structs compile slowly; it is
parsed once at run time. `--check` writes nothing and fails when a file is not what would be written.
"""

import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = pathlib.Path(os.environ.get("HEALTHMD_SHARED", ROOT.parent / "shared"))
TARGET = ROOT / "Sources" / "HealthData" / "Registry"


def line(*fields):
    texts = ["" if f is None else f"{f:g}" if isinstance(f, float) else str(f) for f in fields]
    for text in texts:
        assert "\t" not in text and "\n" not in text and '"""' not in text, text
    while texts and texts[-1] == "":
        texts.pop()
    return "\t".join(texts)


def flag(value):
    return "1" if value else "0"


def registry(spec):
    """One line per fact; the first field says which."""
    yield line("categories", *spec["categories_in_order"])
    for metric in spec["metrics"]:
        export = metric["apple_export"] or {}
        series = metric["time_series"] or {}
        yield line(
            "metric", metric["id"], metric["name"], metric["category"], metric["selection_unit"],
            metric["healthkit_identifier"], metric["metric_type"], metric["source_aggregation"],
            metric["record_unit"], flag(metric["archive_only"]), metric["default"], metric["min_ios"],
            export.get("element"), export.get("type"), export.get("attribute"), series.get("path"),
            series.get("unit"), metric.get("archive_object_type_identifier"))
        for output in metric["outputs"]:
            yield line(
                "output", output["key"], output["unit"], output["daily_rule"], output["rollup_primary"],
                ",".join(output["rollup_statistics"]), output.get("rollup_weighted_by"),
                output.get("frontmatter_decimals"))
            for place in output["json"]:
                yield line("json", place["path"], place["unit"])
            for row in output.get("csv") or []:
                yield line(
                    "csv", row["category"], row["metric"], row["unit"], row["columns"], row["from"], row["number"],
                    row.get("decimals"), row.get("factor"))
    diagnostics = spec["diagnostic_keys"]
    for key in diagnostics["keys"]:
        yield line(
            "diagnostic", key["key"], key["name"], key["unit"], key["source"], key["daily_rule"],
            key["rollup_primary"], ",".join(key["rollup_statistics"]), key["null_handling"],
            diagnostics["metric_id"], diagnostics["category"])
    for kind, values in spec["enums"]["values"].items():
        for raw, (spelling, token) in values.items():
            yield line("enum", kind, raw, spelling, token)
    for value in spec["workout_activity_types"]["values"]:
        yield line("activity", value["raw_value"], value["symbol"], value["export_xml"])


def paths(value):
    return ",".join(value) if isinstance(value, list) else value


def body_line(entry):
    """One line of a Markdown section: kind, then fields by name."""
    if "blank" in entry:
        return line("blank")
    if "samples" in entry:
        columns = [
            "|".join([head, column["path"], column["pattern"], column.get("suffix", ""), str(column.get("factor", ""))])
            for head, column in zip(entry["header"], entry["columns"])
        ]
        return line("samples", entry["samples"], entry["summary"], *columns)
    if "heading" in entry:
        return line("entries", entry["heading"], entry["entries"], entry["at_most"], entry["line"])
    kind, label = ("sub", entry["sub"]) if "sub" in entry else ("line", entry["label"])
    bounds = entry.get("range") or ["", ""]
    condition = entry.get("suffix_if") or ["", ""]
    extra = entry.get("extra") or ["", "", ""]
    return line(
        kind, label, paths(entry["path"]), entry["pattern"], entry.get("suffix"), entry.get("factor"),
        paths(bounds[0]), paths(bounds[1]), entry.get("range_suffix"), *condition,
        flag(entry.get("suffix_band")), *extra)


def format_table(spec):
    for section in spec["csv"]["order"]:
        rows = section["rows"]
        yield line("csv", section["section"], *([rows] if isinstance(rows, str) else rows))
    for section in spec["markdown"]["sections"]:
        kind = "lines" if "lines" in section else "plain" if "plain" in section else "layout"
        yield line("section", section["title"], kind, section.get("section"))
        for entry in section.get("lines", []):
            yield body_line(entry)
    for rule, note in spec["dictionary"]["notes_by_rule"].items():
        yield line("note-rule", rule, note)
    for key, note in spec["dictionary"]["notes_by_key"].items():
        yield line("note-key", key, note)
    rollup = spec["rollup"]
    for key in ("markdown_intro", "markdown_rule_source", "markdown_notes_title", "bases_body"):
        yield line("rollup", key, rollup[key])
    for note in rollup["markdown_notes"]:
        yield line("rollup-note", note)


def swift(name, summary, source, lines):
    body = "\n".join("        " + text for text in lines)
    return f'''// swift-format-ignore-file: a generated table; edit Tools/generate-registry.py instead.

/// {summary}
///
/// Made from {source} by `Tools/generate-registry.py`; a test holds it to that file.
enum {name} {{
    /// One fact a line, fields separated by tabs, the first field naming the kind.
    static let text = #"""
{body}
        """#
}}
'''


def main():
    metrics = json.loads((SHARED / "spec" / "metrics.json").read_text("utf-8"))
    constants = json.loads((SHARED / "spec" / "format-constants.json").read_text("utf-8"))
    files = {
        "RegistryTable.swift": swift(
            "RegistryTable", "Every metric, output key, enumeration and workout type as data.", "metrics.json",
            registry(metrics)),
        "FormatTable.swift": swift(
            "FormatTable", "Row orders, body lines and constant sentences of the files as data.",
            "format-constants.json", format_table(constants)),
    }
    stale = []
    for name, text in files.items():
        path = TARGET / name
        if "--check" in sys.argv[1:]:
            if not path.exists() or path.read_text("utf-8") != text:
                stale.append(name)
        else:
            path.write_text(text, "utf-8")
    if stale:
        sys.exit("not up to date: " + ", ".join(stale))


if __name__ == "__main__":
    main()
