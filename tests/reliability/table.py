"""The fault table of the page on reliability: `python -m tests.reliability.table FAULTS.jsonl PAGE.md`."""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

BEGIN, END = "<!-- faults: begin, written by `make soak` -->", "<!-- faults: end -->"
_NUMBER = re.compile(r"^(\d+) (.+)$")


def table(told: list[dict[str, Any]]) -> str:
    """The rows of the table: each fault and target once, with the sums of its reports."""
    together: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for each in told:
        together[each["fault"], each["target"]].append(each)
    lines = ["| fault | what it met | injected | finished work lost | what is seen |", "|---|---|---:|---|---|"]
    for (fault, target), all_of_it in together.items():
        injected = sum(each["injected"] for each in all_of_it)
        lines.append(f"| {fault} | {target} | {injected:,} | {_lost(all_of_it)} | {_cell(all_of_it[-1]['seen'])} |")
    total = sum(each["injected"] for each in told)
    folded = ["<details><summary>Every fault and what it met</summary>", "", *lines, "", "</details>"]
    return "\n".join([f"{total:,} faults in all.", "", *_by_fault(told), "", *folded])


def _by_fault(told: list[dict[str, Any]]) -> list[str]:
    """A short table in front of the long one."""
    together: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for each in told:
        together[each["fault"]].append(each)
    lines = ["| fault | targets | injected | finished work lost |", "|---|---:|---:|---|"]
    for fault, all_of_it in together.items():
        targets, injected = len({each["target"] for each in all_of_it}), sum(each["injected"] for each in all_of_it)
        lost = {_lost(each_target) for each_target in _by_target(all_of_it)}
        is_none = all(re.match(r"nothing|0 ", text) for text in lost)
        lines.append(f"| {fault} | {targets} | {injected:,} | {'none' if is_none else 'see below'} |")
    return lines


def _by_target(told: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    together: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for each in told:
        together[each["target"]].append(each)
    return list(together.values())


def _lost(told: list[dict[str, Any]]) -> str:
    numbers = [_NUMBER.match(each["lost"]) for each in told]
    if all(numbers):
        return f"{sum(int(number[1]) for number in numbers if number)} {numbers[0][2]}" if numbers[0] else ""
    accepted = [re.search(r"(\d+) read as sound", each["lost"]) for each in told]
    sound = sum(int(number[1]) for number in accepted if number)
    return f"nothing; {sound:,} read as sound" if sound else "nothing"


def _cell(text: str) -> str:
    short = text if len(text) <= 110 else text[:107] + "..."
    return "`" + short.replace("|", "\\|").replace("`", "'") + "`"


def main(faults: Path, page: Path) -> None:
    told = [json.loads(line) for line in faults.read_text(encoding="utf-8").splitlines()]
    told.sort(key=lambda each: (each["fault"], each["target"]))
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise SystemExit(f"{page} has no place for the table")
    page.write_text(f"{before}{BEGIN}\n{table(told)}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
