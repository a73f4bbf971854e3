"""Puts nets of santos-2025 into the package: of each row of its tables the run of the median win rate.

    inarow reproduce santos-2025 --scale paper --workers 2 --out reproductions/santos-2025-paper
    python tools/benchmarks/median_nets.py reproductions/santos-2025-paper [LEAST_RUNS]

Rows with fewer than LEAST_RUNS runs (20) are left out.
"""

from __future__ import annotations

import sys
from pathlib import Path

from inarow.studies.santos_2025.median import ship_median_nets

NETS = Path(__file__).parents[2] / "src" / "inarow" / "learning" / "deep_q" / "nets"

if __name__ == "__main__":
    least = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    for row, path in ship_median_nets(Path(sys.argv[1]), NETS, least_runs=least).items():
        print(f"{row}: {path.name}, {path.stat().st_size:,} bytes")
