"""`inarow quantum`."""

import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
from cyclopts import App, Parameter
from rich.table import Table

from inarow.cli.options import Json, Seed, UnusedSeed
from inarow.cli.output import command_line, json_text, print_json, print_table, progress_bar, stderr, stdout, write_text
from inarow.cli.tables import page_width
from inarow.errors import InvalidLimitError, MissingExtraError
from inarow.learning.exploration.advantage import GOAL
from inarow.learning.exploration.config import Amplification
from inarow.learning.exploration.qasm import qasm_program
from inarow.learning.exploration.theory import TABLE_MASSES, draw_cost, measured_cost, study_noise
from inarow.report.pictures import write_noise_picture
from inarow.report.quantum import QuantumDraw, check_picture_path, parse_draw, write_picture
from inarow.report.quantum_map import map_queries, plans_on, write_map_picture
from inarow.terminal import for_encoding

quantum = App(
    name="quantum", help="Show and verify the quantum choice of an action.", default_parameter=Parameter(negative=())
)


@quantum.command
def show(
    *,
    probabilities: str,
    flags: str,
    m: int | None = None,
    out: Path | None = None,
    json: Json = False,
    seed: UnusedSeed = 0,
) -> None:
    """Draw the circuit of a decision and its amplitudes.

    Also shows the probability of a flagged column for each number of amplification steps m.

    Args:
        probabilities: Probabilities of the columns, separated by commas: 0.2,0.3,0.5. A full column is -.
        flags: Flagged columns, separated by commas: 1,4.
        m: Amplification steps; the best number if not given.
        out: Also write a picture to this file: .svg or .png.

    Examples:
        inarow quantum show --probabilities 0.2,0.3,0.5 --flags 2
        inarow quantum show --probabilities 0.2,0.3,-,0.5 --flags 1,4 --m 2
    """
    draw = parse_draw(probabilities, flags, m)
    if out is not None:
        check_picture_path(out)
    from inarow.learning.exploration.circuits import drawn_circuit  # needs an extra

    text = str(drawn_circuit(draw.register, min(draw.m, 1)).draw("text", fold=page_width(120)))
    if out is not None:
        write_picture(draw, out)
    if json:
        print_json({**draw.document(), "circuit": text})
        return
    times = f"The part between the barriers is one step; m = {draw.m}, so it runs {draw.m} times.\n\n"
    sys.stdout.write(for_encoding(f"{text}\n{times if draw.m > 1 else ''}", sys.stdout.encoding))
    _print_draw(draw)


@quantum.command
def export(
    *,
    probabilities: str,
    flags: str,
    m: int | None = None,
    out: Path | None = None,
    json: Json = False,
    seed: UnusedSeed = 0,
) -> None:
    """Write the circuit of a decision as OpenQASM 3.

    Args:
        probabilities: Probabilities of the columns, separated by commas: 0.2,0.3,0.5. A full column is -.
        flags: Flagged columns, separated by commas: 1,4.
        m: Amplification steps; the best number if not given.
        out: File to write, instead of standard output.

    Examples:
        inarow quantum export --probabilities 0.2,0.3,0.5 --flags 2 --out draw.qasm
    """
    draw = parse_draw(probabilities, flags, m)
    columns = [action + 1 for action in draw.register.actions]
    comments = (
        f"flagged columns {', '.join(str(action + 1) for action in draw.flags)}; m = {draw.m}",
        f"the number measured is that of a column, from 0, in the list {', '.join(map(str, columns))}",
    )
    program = qasm_program(draw.register, draw.m, comments)
    if out is not None:
        write_text(out, program)
    if json:
        print_json({"qubits": draw.register.qubits, "m": draw.m, "columns": columns, "qasm": program})
    elif out is None:
        sys.stdout.write(program)


@quantum.command
def verify(*, cases: int = 200, draws: int = 20_000, json: Json = False, seed: Seed = 0) -> None:
    """Compare closed form, state vector and Qiskit circuits.

    The circuits run on Aer, for random decisions.

    Args:
        cases: Number of decisions, edge cases (all flagged, one legal column, ...) first.
        draws: Draws per decision, in closed form and on Aer.

    Examples:
        inarow quantum verify --cases 50
    """
    from inarow.learning.exploration.agreement import SIGNIFICANCE, TOLERANCE, verify_back_ends

    with progress_bar("drawing") as progress:
        found = verify_back_ends(cases=cases, draws=draws, seed=seed, progress=progress)
    facts = {
        "cases": cases,
        "draws": draws,
        "seed": seed,
        "significance": SIGNIFICANCE,
        "rejected": len(found.rejected),
        "least_p_value": found.least_p_value,
        "tolerance": TOLERANCE,
        "largest_difference": found.largest_difference,
        "agreed": found.is_agreed,
    }
    if json:
        print_json({**facts, "results": found.results})
    else:
        stdout.print("\n".join(f"{name.replace('_', ' ')} {value}" for name, value in facts.items()))
    if not found.is_agreed:
        sys.exit(1)


@quantum.command
def theory(
    *, amplification: Amplification = "ceil-inclusive", decisions: int = 100_000, json: Json = False, seed: Seed = 0
) -> None:
    """Compare the cost of a flagged column in theory and in draws.

    For flagged masses from 0.01 to 1.

    Args:
        amplification: Rule for choosing m.
        decisions: Decisions drawn for each mass.

    Examples:
        inarow quantum theory
    """
    if decisions < 1:
        raise InvalidLimitError(f"decisions is {decisions}; it must be at least 1")
    rng = np.random.default_rng(seed)
    rows = [
        (draw_cost(mass, amplification), measured_cost(mass, decisions, rng, amplification)) for mass in TABLE_MASSES
    ]
    if json:
        print_json([{**asdict(cost), "measured": measured} for cost, measured in rows])
        return
    names = ("flagged mass", "largest m", "probability", "draws", "oracle calls", "queries", "classical draws")
    table = Table(*names, box=None)
    for cost, measured in rows:
        table.add_row(
            f"{cost.mass:.3f}",
            str(cost.largest_m),
            f"{cost.success:.3f}",
            f"{cost.rounds:.2f} ({measured.rounds:.2f})",
            f"{cost.oracle_calls:.2f} ({measured.oracle_calls:.2f})",
            f"{cost.queries:.2f}",
            f"{cost.classical_rounds:.2f} ({measured.classical_rounds:.2f})",
        )
    print_table(table)
    stdout.print("In brackets: measured.")


@quantum.command
def noise(*, out: Path | None = None, json: Json = False, seed: UnusedSeed = 0) -> None:
    """Find the error rates that end the advantage of quantum draws.

    Above these error rates of a device, quantum draws no longer save queries.

    Args:
        out: Folder for all points (noise.json) and a picture (noise.svg).

    Examples:
        inarow quantum noise --out noise
    """
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    with progress_bar("simulating noise") as progress:
        found = study_noise(progress=progress)
    if out is not None:
        write_text(out / "noise.json", json_text({"command": command_line(), "study": found}))
        try:
            write_noise_picture(found, out / "noise.svg")
        except MissingExtraError as error:
            stderr.print(f"{out / 'noise.svg'} was not drawn: {error}", markup=False, soft_wrap=True)
    if json:
        print_json(found)
        return
    table = Table("flagged mass", "m", "error source", "queries without", "ends at", "asking all flags", box=None)
    for each in found.thresholds:
        key = each.source, each.mass, each.amplification, 0.0
        (clean,) = [p for p in found.points if (p.source, p.mass, p.amplification, p.error) == key]
        ends = (_end_text(each.error), _end_text(each.error_asking_all))
        table.add_row(f"{each.mass:.3f}", each.amplification, each.source, f"{clean.queries:.2f}", *ends)
    print_table(table)


@quantum.command(name="map")
def map_command(
    *,
    boards: str | None = None,
    games: int | None = None,
    devices: bool = False,
    out: Path | None = None,
    json: Json = False,
    seed: Seed = 0,
) -> None:
    """Find where quantum draws would save queries.

    Traces the flagged mass of all decisions of trainings on boards with 7 to 225 actions, and compares the queries of
    quantum draws with those of classical agents. Needs the extra train.

    Args:
        boards: Only the trainings on these boards, separated by commas; all if not given.
        games: Games of each training, instead of its own number.
        devices: Also simulate devices with noise (extra quantum).
        out: Folder for all results (map.json) and a picture (map.svg).

    Examples:
        inarow quantum map --boards 4x4x4/free --games 200
    """
    plans = plans_on(boards)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    with progress_bar("training") as progress:
        found = map_queries(plans, games=games, with_devices=devices, seed=seed, progress=progress)
    if out is not None:
        write_text(out / "map.json", json_text({"command": command_line(), "map": found}))
        try:
            write_map_picture(found, out / "map.svg")
        except MissingExtraError as error:
            stderr.print(f"{out / 'map.svg'} was not drawn: {error}", markup=False, soft_wrap=True)
    if json:
        print_json(found)
        return
    names = (
        "board",
        "learner",
        "flags by",
        "actions",
        "all flagged",
        "draws",
        "remembered",
        "all",
        "quantum",
        "best m",
    )
    table = Table(*names, "saved", box=None)
    for each in found.trainings:
        q = each.queries
        shares = (f"{q.actions:.1f}", f"{q.all_flagged:.0%}", f"{q.draws:.2f}", f"{q.remembered:.2f}", f"{q.all:.1f}")
        costs = (f"{q.quantum:.2f}", f"{q.best:.2f}", f"{each.saved['best']:.2f}")
        table.add_row(each.board, each.learner, each.flags, *shares, *costs)
    print_table(table)
    for way, name in (("best", "the best single m"), ("quantum", "the m of santos-2025")):
        text = f"With {name}, queries are at least {GOAL:g} times fewer"
        trained, ideal = found.least_trained[way], found.least_actions[way]
        answer = "in none of these trainings" if trained is None else f"in trainings from {trained} actions"
        stdout.print(
            f"{text} {answer}; with one of equally likely actions flagged from {ideal} actions.", soft_wrap=True
        )


def _end_text(error: float | None) -> str:
    return "never" if error is None else f"{error:.2%}" if error else "no advantage"


def _print_draw(draw: QuantumDraw) -> None:
    table = Table("column", "flagged", "amplitude before", "after", "probability before", "after", box=None)
    for place, action in enumerate(draw.register.actions):
        before, after = draw.before[place], draw.after[place]
        flag = "yes" if action in draw.flags else ""
        cells = (f"{before:+.4f}", f"{after:+.4f}", f"{before**2:.4f}", f"{after**2:.4f}")
        table.add_row(str(action + 1), flag, *cells)
    print_table(table)
    about = f"flagged mass {draw.mass:.4f}, santos-2025 draws m from 0 to {draw.published_range}, best m {draw.best_m}"
    stdout.print(f"\n{about}")
    for m, success in enumerate(draw.successes()):
        stdout.print(f"m {m:3d}  {success:.4f}  {'#' * round(40 * success)}{' <' if m == draw.m else ''}")
