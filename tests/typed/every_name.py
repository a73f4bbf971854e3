"""Uses every public name as a typed program would. Type checkers read this file; nothing runs it."""

import numpy as np
import numpy.typing as npt

import inarow
from inarow import GameSpec, Position

SPEC: inarow.Board = GameSpec(rows=6, columns=7, inarow=4)


class Edge:
    def __init__(self, name: str) -> None:
        self.name = name

    def decide(
        self, position: Position, *, limits: inarow.Limits | None = None, watch: object = None
    ) -> inarow.Decision:
        return inarow.Decision(position.legal_actions[0])


def first(position: Position) -> int:
    return position.legal_actions[0]


@inarow.register_agent("last")
def last(position: Position) -> int:
    return position.legal_actions[-1]


def play() -> float:
    own: inarow.AgentLike = Edge
    record: inarow.GameRecord = inarow.play_game(first, "random", "4x4x3", opening="12")
    match: inarow.Match = inarow.play_match(own, first, SPEC, games=20, sprt=inarow.Sprt(0, 20))
    tournament: inarow.Tournament = inarow.play_tournament(
        ["random", first, Edge, Edge("edge"), inarow.make_agent("winblock", seed=1)], inarow.CONNECT_FOUR, games=20
    )
    ratings: inarow.Ratings = inarow.ratings(tournament.records)
    board: inarow.Leaderboard = tournament.summary.leaderboard
    grade: inarow.Grade = inarow.grade(record)
    depths: inarow.DepthTest = inarow.depth_test("minimax", [1, 2])
    graded: inarow.Assignment = inarow.grade_assignment("submissions", rubric="rubric.toml", out="grades", workers=2)
    tournament.plot("league.svg")
    rows: list[object] = [
        len(match.to_frame()),
        len(depths.to_frame()),
        graded["alice"].points,
        len(board.standings()),
        grade.positions,
    ]
    return ratings.table[0].elo + len(rows)


def search(position: Position) -> int:
    solution: inarow.Solution = inarow.solve(position)
    analysis: inarow.Analysis = inarow.analyse("4453", board="6x7x4", limits=inarow.Limits(seconds=1.0))
    review: inarow.GameReview = inarow.review("4453", inarow.TIC_TAC_TOE)
    agent: inarow.Agent = Edge("edge")
    solver = inarow.Solver(inarow.CONNECT_FOUR)
    book: inarow.Book = inarow.build_book("book.npz", "4x4x4", plies=2)
    checked = inarow.verify_book(book)
    suite: inarow.Suite = inarow.build_suite("suite.npz", "4x4x4", positions=20)
    counts = inarow.count_positions(position, 3).positions + inarow.count_sequences(position, 3)
    numbers = [solution.score, analysis.score, solver.solve(position).score, agent.decide(position).action]
    return sum(number or 0 for number in numbers) + len(suite) + sum(counts) + len(review.moves) + len(checked)


def learn() -> inarow.TrainingRun:
    run = inarow.train("tictactoe-q", out="runs/x", alpha=0.3, phases__0__opponent=first)
    curve: inarow.Curve = inarow.load_run("runs/x").curve
    more = inarow.resume_training("runs/x", progress=False)
    comparison: inarow.RunComparison = inarow.compare_runs([run, "runs/y"])
    runs: inarow.RunList = inarow.list_runs("runs")
    tuned: inarow.Sweep = inarow.sweep("sweep.toml", trials=4)
    net: inarow.LoadedNet = inarow.load_net("connect4")
    policies, values = net.predict(["44", Position.start()])
    assert policies.shape[0] == values.shape[0] == len(curve) == len(comparison.rows()) == len(runs.rows())
    assert len(inarow.presets())
    assert tuned.best
    return more


@inarow.register_exploration("dice")
class Dice:
    def choose(
        self, values: npt.NDArray[np.float64], episodes: npt.NDArray[np.int64], rng: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        weights = np.where(np.isfinite(values), rng.random(values.shape), -1.0)
        return np.asarray(weights.argmax(axis=1), np.int64)


def extend() -> None:
    inarow.register_heuristic("even")
    inarow.register_rule("even")
    inarow.register_leaf("even")
    inarow.board("44", agent=first)


def outside(cluster: inarow.Cluster) -> str:
    with inarow.Store("lab.sqlite") as store:
        inarow.play_match("random", "greedy", store=store, workers=cluster)
    inarow.export_kaggle("winblock", "submission.py")
    inarow.reproduce("harman", scale="quick", progress=False)
    record = inarow.from_pgn(inarow.to_pgn(inarow.play_game("random", "random")))
    return f"{record.moves} {inarow.canonical_key(record.position)} {inarow.__version__}"


def fail(moves: str) -> str:
    try:
        return Position.parse(moves).moves
    except inarow.Interrupted as stop:
        return str(stop.result)
    except (inarow.IllegalMoveError, inarow.NotationError) as error:
        return str(error)
    except (inarow.InvalidAgentError, inarow.InvalidSpecError):
        return ""
    except inarow.InarowError:
        raise
