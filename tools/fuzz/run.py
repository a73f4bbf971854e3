"""Feeds garbage to every parser: `python tools/fuzz/run.py --inputs 10000000 --workers 2 --json FILE`.

With atheris installed (`pip install atheris`, Linux), inputs are those of libFuzzer, which looks for new
paths through the code; without it they are random changes of sound texts. Each target runs in a process of
its own, so that a crash of the interpreter is a finding, too.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
LONGEST = 4096


def main() -> None:
    options = _options()
    if options.target is not None:
        _feed(options.target, options.inputs, options.engine, options.seed)
        return
    from tools.fuzz.targets import TARGETS, Target

    chosen = [target for target in TARGETS if not options.only or target.name in options.only]
    shares = sum(target.share for target in chosen)
    rows = []

    def run(target: Target) -> dict[str, object]:
        inputs = max(1, round(options.inputs * target.share / shares))
        return _run(target.name, inputs, options.engine, options.seed)

    with ThreadPoolExecutor(options.workers) as threads:
        for row in threads.map(run, chosen):
            rows.append(row)
            print(
                f"{row['target']:20} {row['inputs']:>11,} inputs {row['seconds']:>8.1f} s  {row['finding'] or 'clean'}",
                flush=True,
            )
            if options.json is not None:  # after each, so that an interrupt keeps what was done
                document = {"engine": options.engine, "inputs": sum(row["inputs"] for row in rows), "targets": rows}
                options.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(f"{sum(row['inputs'] for row in rows):,} inputs, {sum(bool(row['finding']) for row in rows)} findings")
    sys.exit(any(row["finding"] for row in rows))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Feed garbage to every parser.")
    parser.add_argument("--inputs", type=int, default=100_000, help="in all, shared among the parsers")
    parser.add_argument(
        "--engine", choices=["atheris", "random"], default="atheris" if find_spec("atheris") else "random"
    )
    parser.add_argument("--only", nargs="*", help="names of parsers")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1, help="parsers at once")
    parser.add_argument("--json", type=Path, help="write what was done to this file")
    parser.add_argument("--target", help=argparse.SUPPRESS)
    return parser.parse_args()


def _run(name: str, inputs: int, engine: str, seed: int) -> dict[str, object]:
    """One target in a process; `inputs` of the result is what the process counted."""
    clock = time.monotonic()
    in_memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="inarow-fuzz-", dir=in_memory) as folder:
        command = [sys.executable, str(Path(__file__).resolve()), "--target", name, "--inputs", str(inputs)]
        command += ["--engine", engine, "--seed", str(seed)]
        # What atheris has put its marks into cannot be compiled.
        environment = os.environ | {"TMPDIR": folder, "NUMBA_DISABLE_JIT": "1"}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, errors="replace")
        found = re.findall(r"Done (\d+) (?:runs|in)", done.stderr) or re.findall(r"Done (\d+)", done.stderr)
        counted = int(found[-1]) if found else 0
        finding = None
        if done.returncode or not found:
            crash = next(iter(sorted(Path(folder).glob("crash-*"))), None)
            error = [line for line in done.stderr.splitlines() if re.match(r"\s*\w*(Error|Exception)\b", line)]
            finding = {"error": (error or done.stderr.splitlines()[-1:])[-1][:300] if done.stderr else "", "input": ""}
            if crash is not None:
                finding["input"] = crash.read_bytes()[:2000].hex()
            counted = counted or _last_count(done.stderr)
    return {"target": name, "inputs": counted, "seconds": round(time.monotonic() - clock, 1), "finding": finding}


def _last_count(log: str) -> int:
    numbers = re.findall(r"^#(\d+)\s", log, re.MULTILINE)
    return int(numbers[-1]) if numbers else 0


def _feed(name: str, inputs: int, engine: str, seed: int) -> None:
    if engine == "atheris":
        _feed_by_atheris(name, inputs, seed)
        return
    from tools.fuzz.targets import TARGETS

    target = next(each for each in TARGETS if each.name == name)
    chance = random.Random(seed)
    for number in range(inputs):
        data = changed(chance.choice(target.seeds), target.words, chance)
        try:
            target.parse(data)
        except BaseException:
            Path("crash-random").write_bytes(data)
            print(f"Done {number}", file=sys.stderr)
            raise
    print(f"Done {inputs} runs", file=sys.stderr)


def _feed_by_atheris(name: str, inputs: int, seed: int) -> None:
    import atheris

    with atheris.instrument_imports(include=["inarow"]):
        from tools.fuzz.targets import TARGETS
    target = next(each for each in TARGETS if each.name == name)
    corpus = Path("corpus")
    corpus.mkdir()
    for number, content in enumerate(target.seeds):
        (corpus / str(number)).write_bytes(content)
    words = Path("words")
    some = target.words or (b"{",)  # libFuzzer refuses an empty file
    quoted = ("".join(f"\\x{byte:02x}" for byte in word) for word in some)
    words.write_text("".join(f'"{word}"\n' for word in quoted), encoding="ascii")
    flags = [
        f"-runs={inputs}",
        f"-seed={seed}",
        f"-max_len={LONGEST}",
        "-timeout=60",
        f"-dict={words}",
        "-rss_limit_mb=4096",
    ]
    atheris.Setup([sys.argv[0], *flags, str(corpus)], target.parse)
    atheris.Fuzz()


def changed(seed: bytes, words: tuple[bytes, ...], chance: random.Random) -> bytes:
    """A sound text after one to eight changes, or none of it."""
    data = bytearray(seed if chance.random() < 0.95 else b"")
    for _ in range(chance.randint(1, 8)):
        place = chance.randrange(len(data) + 1)
        length = min(chance.choice((1, 1, 1, 2, 4, 16)), len(data) - place)
        piece = chance.choice((*words, b"9" * 20, b"-", b"\xff", b"\0", chance.randbytes(chance.randint(1, 6))))
        match chance.randrange(5):
            case 0:
                data[place:place] = piece
            case 1:
                del data[place : place + length]
            case 2 if place < len(data):
                data[place] ^= 1 << chance.randrange(8)
            case 3:
                data[place:place] = data[place : place + length] * chance.choice((1, 2, 50))
            case _:
                data[place : place + length] = piece
    return bytes(data[:LONGEST])


if __name__ == "__main__":
    main()
