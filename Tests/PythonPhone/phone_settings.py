#!/usr/bin/env python3
"""`export --use-iphone-settings` with real processes: all formats, roll-ups, archive, write modes, a killed receiver.

    phone_settings.py HEALTHMD-BINARY WORK-FOLDER

The invented export of interop.py goes from our phone side to our receiver. Weekly and range roll-ups are counted and
compared with the days; the archive opens with Python's zipfile and holds the loose files; the mode Update keeps what a
person wrote and changes nothing the second time; a receiver that is killed while it writes ends with the same archive.
"""
import json
import os
import pathlib
import sys
import time
import zipfile

from interop import DAYS, Export, Phone, Receiver, timeless, until

FIRST, LAST = str(DAYS[1]), str(DAYS[3])


def main():
    program, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    receiver = Receiver(program, folder / "desk")
    xml = folder / "export.xml"
    xml.write_text(Export().xml(), encoding="utf-8")
    phone = Phone(program, folder, xml)
    try:
        phone.connect(receiver)
        phone.run("settings", "set", "exportFormats=JSON,CSV,Markdown,Obsidian Bases", "generateRangeSummary=true",
              "generateWeeklyRollups=true", "writeMode=Update")
        command = ("export", "--from", FIRST, "--to", LAST, "--use-iphone-settings")
        receiver.run(*command)
        loose = receiver.tree()
        # 28 March 2026 is a Saturday, 30 March a Monday: the days touch the weeks 13 and 14.
        assert len(loose) == 3 * 4 + 3 * 4 + 1, list(loose)
        week = json.loads(loose["Health/Rollups/Weekly/2026-W13.json"])
        assert week["source_dates"] == ["2026-03-27", "2026-03-28", "2026-03-29"], week["source_dates"]
        whole = json.loads(loose[f"Health/Rollups/Range/{FIRST}_to_{LAST}.json"])
        steps = sum(json.loads(loose[f"Health/{day}.json"])["activity"]["steps"] for day in DAYS[1:4])
        total = next(m["primary_value"] for m in whole["metrics"] if m["canonical_key"] == "steps")
        assert total == f"{steps:,}", (total, steps)

        note = receiver.files / "Health" / f"{FIRST}.md"
        note.write_text(note.read_text() + "\n## My words\n\nRain all day.\n")
        receiver.run(*command)
        merged = receiver.tree()
        assert b"Rain all day." in merged[f"Health/{FIRST}.md"]
        receiver.run(*command)
        assert timeless(receiver.tree()) == timeless(merged), "a second Update changes nothing"

        phone.run("settings", "set", "archiveExportFiles=true")
        result = json.loads(receiver.run(*command, "--json"))
        assert result.get("files_written") == 1, result
        path = receiver.files / "Health" / f"Health.md Export {FIRST}_to_{LAST}.zip"
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None
            inside = {"Health/" + name: archive.read(name) for name in archive.namelist()}
        assert timeless(inside) == timeless(loose), sorted(set(inside) ^ set(loose))
        path.unlink()

        client = receiver.start(*command)
        time.sleep(0.15)
        receiver.kill()
        client.communicate(timeout=60)
        receiver.peer_port = receiver.runtime["peer_port"]
        receiver.launch()
        until(path.exists, "the killed job ends with its archive", 60)
        with zipfile.ZipFile(path) as archive:
            again = {"Health/" + name: archive.read(name) for name in archive.namelist()}
        assert timeless(again) == timeless(inside)
        print(f"phone settings: {len(loose)} files, the same in the archive, and after a kill")
    finally:
        phone.stop()
        receiver.stop()


if __name__ == "__main__":
    main()
