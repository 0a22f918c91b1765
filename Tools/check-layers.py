#!/usr/bin/env python3
"""Holds the imports of Sources/ to the tiers that stand in the comment of Package.swift.

A room may import rooms of lower tiers only. Prints each arrow that points up or sideways; exit 1 if there is one.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def tiers():
    """Room -> height, read from the comment block above the first declaration in Package.swift."""
    rows = []
    for line in (ROOT / "Package.swift").read_text().splitlines():
        match = re.match(r"//   (\S.*)$", line)
        if match:
            rows.append(match.group(1).split())
    height = {}
    for index, row in enumerate(reversed(rows)):
        for room in row:
            height[room] = index
    return height


def main():
    height = tiers()
    rooms = sorted(p.name for p in (ROOT / "Sources").iterdir() if p.is_dir() and p.name != "CLibraries")
    faults = [f"Sources/{room}: not among the tiers of Package.swift" for room in rooms if room not in height]
    arrows = 0
    for room in rooms:
        for path in sorted((ROOT / "Sources" / room).rglob("*.swift")):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = re.match(r"\s*(?:@\w+\s+|public\s+|internal\s+|private\s+)*import\s+(?:struct\s+|class\s+|enum\s+|func\s+)?(\w+)", line)
                if not match or match.group(1) not in height:
                    continue
                arrows += 1
                if height[match.group(1)] >= height.get(room, -1):
                    faults.append(f"{path.relative_to(ROOT)}:{number}: {room} imports {match.group(1)}, which is not below it")
    for fault in faults:
        print(fault)
    print(f"check-layers: {len(rooms)} rooms, {arrows} arrows, {len(faults)} faults")
    return 1 if faults else 0


sys.exit(main())
