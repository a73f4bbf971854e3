"""`inarow report` and `inarow leaderboard`: what the results store knows."""

from pathlib import Path

from inarow.arena.store import Store
from inarow.arena.store_schema import default_store_path
from inarow.cli.options import Board, Json, UnusedSeed
from inarow.cli.output import command_line, new_file, number_table, print_json, print_table, spinner, stdout
from inarow.errors import InvalidLimitError, StoreError
from inarow.games import GameSpec
from inarow.report.data import bounded_analysis, read_leaderboard, report_from_store
from inarow.report.page import report_markdown, report_page
from inarow.report.tables import leaderboard_table, write_csv


def report(
    store: Path | None = None,
    *,
    board: Board = "connect4",
    out: Path = Path("report.html"),
    markdown: Path | None = None,
    csv: Path | None = None,
    games: int = 8,
    json: Json = False,
    seed: UnusedSeed = 0,
) -> None:
    """Write the contents of the results store as a web page.

    Args:
        store: Results store, or the folder that holds it; by default the user's own.
        out: The page.
        markdown: Also write the tables to this file.
        csv: Also write the leaderboard to this file.
        games: Number of games to replay.

    Examples:
        inarow report
        inarow report results --out page.html --csv leaderboard.csv
    """
    if games < 0:
        raise InvalidLimitError(f"games is {games}; it must be 0 or more")
    path = _find_store(default_store_path() if store is None else store)
    spec = GameSpec.parse(board)
    solve = bounded_analysis(spec)
    with new_file(out) as page, new_file(markdown) as text, new_file(csv) as rows, spinner("reading and solving games"):
        with Store(path, readonly=True) as results:
            data = report_from_store(results, str(spec), games=games, analyse=solve, command=command_line())
        page.write(report_page(data))
        text.write(report_markdown(data))
        write_csv(data.leaderboard, rows)
    played = data.leaderboard.cross.games
    if json:
        print_json({"file": str(out), "board": str(spec), "games": played, "replays": len(data.games)})
    else:
        stdout.print(f"{out}: {data.title}, {played} games, {len(data.games)} to replay", soft_wrap=True)


def leaderboard(
    *, board: Board = "connect4", store: Path | None = None, json: Json = False, seed: UnusedSeed = 0
) -> None:
    """Rate all agents of the results store.

    Agents that no games link, directly or through others, are rated apart. Graded agents are shown
    with their outcome accuracy. A match that several versions played counts once.

    Args:
        store: The results store; by default the one in the user's data folder.

    Examples:
        inarow leaderboard
        inarow leaderboard --board tictactoe --store results/lab.sqlite
    """
    name = str(GameSpec.parse(board))
    with Store(store or default_store_path(), readonly=True) as results, spinner("reading the games"):
        known = read_leaderboard(results, name)
    if json:
        print_json(known.to_dict())
        return
    if not known.groups:
        stdout.print(f"there are no games on {name} yet")
        return
    for ratings, rows in zip(known.groups, known.group_standings(), strict=True):
        table = leaderboard_table(rows)
        print_table(number_table(*table.headings, rows=table.rows, words=table.words))
        stdout.print(f"{ratings.anchor or 'their mean'} is 0; the first move is worth {ratings.advantage:+.0f}")
    stdout.print(f"{known.cross.games} games, {known.cross.distinct_games} distinct")


def _find_store(path: Path) -> Path:
    """The store at a path, or the only one in a folder."""
    if not path.is_dir():
        return path
    stores = sorted(path.glob("*.sqlite"))
    if len(stores) != 1:
        raise StoreError(f"{path} holds {len(stores)} results stores (*.sqlite); name one")
    return stores[0]
