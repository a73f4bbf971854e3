"""AlphaZero of OpenSpiel (Python, jax) and ours, trained from random weights for the same time on the same cores.

    python -m venv peers
    peers/bin/pip install --constraint constraints.txt ".[train]" open_spiel jax chex flax optax orbax-checkpoint
    peers/bin/inarow warmup
    peers/bin/python tools/benchmarks/alphazero_against_openspiel.py FOLDER [MINUTES]

Both nets are graded on a tenth of the standard suite, alone and with 64 simulations of their own search. Like
ours, OpenSpiel's net alone only chooses among moves that do not lose by the next stone, unless there is an immediate
win. Its settings are those of its own example if they do not depend on the game, with a net of our size: the example's
net of 256 channels is too slow for two cores.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts
from open_spiel.python.algorithms.alpha_zero import alpha_zero, evaluator

from inarow.adapters.openspiel import OpenSpielAgent
from inarow.agents.agent import Decision
from inarow.agents.registry import make_agent
from inarow.arena.grading import grade
from inarow.arena.suite import standard_suite
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR

GAME, SIMULATIONS, CORES = "connect_four", 64, 2
EVERY = 10
"""Every n-th position of the suite is used, since OpenSpiel's search is slow."""
OURS = "connect4-5min"
RESULT = Path(__file__).with_suffix(".json")
_TRAIN = "--train"


def peer_config(folder: Path) -> Any:
    """The config of OpenSpiel. Moves are drawn for ten plies, not two: its example plays Tic Tac Toe. It learns after
    every 256 new positions, less than a minute; with the example's buffer of 8,192, each used four times, it would
    learn twice in a quarter of an hour.
    """
    game = pyspiel.load_game(GAME)
    return alpha_zero.Config(
        game=GAME,
        path=str(folder.resolve()),
        learning_rate=1e-3,
        weight_decay=1e-4,
        decouple_weight_decay=False,
        train_batch_size=128,
        replay_buffer_size=2**11,
        replay_buffer_reuse=8,
        max_steps=0,
        checkpoint_freq=1,
        actors=CORES,
        evaluators=0,
        evaluation_window=50,
        eval_levels=7,
        uct_c=1.41,
        max_simulations=40,
        policy_alpha=1.0,
        policy_epsilon=0.25,
        temperature=1.0,
        temperature_drop=10,
        nn_model="resnet",
        nn_width=32,
        nn_depth=2,
        observation_shape=game.observation_tensor_shape(),
        output_size=game.num_distinct_actions(),
        verbose=False,
        quiet=True,
    )


def train_for(command: list[str], minutes: float) -> None:
    """Runs a training and stops it, with its processes, when the time is over."""
    process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL)
    try:
        process.wait(60 * minutes)
    except subprocess.TimeoutExpired:
        return
    finally:  # also when this script is interrupted: running actors would slow down later measurements
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    raise SystemExit(f"the training ended by itself with {process.returncode}")


def last_checkpoint(folder: Path) -> int:
    """The number of the last checkpoint, which are folders written atomically; 0 is the untrained net."""
    return max(int(each.name.split("-")[1]) for each in folder.glob("checkpoint-*") if each.name.count("-") == 1)


class RawPeer:
    """Plays the move with the highest prior."""

    name = "OpenSpiel AlphaZero, net alone"

    def __init__(self, game: Any, evaluate: Any) -> None:
        self._game, self._evaluate = game, evaluate

    def decide(self, position: Position) -> Decision:
        actions = worth_a_thought(position)
        state = self._game.new_initial_state()
        for action in position.actions:
            state.apply_action(action)
        chances = dict(self._evaluate.prior(state))
        return Decision(action=max(actions, key=lambda action: chances[action]))


def worth_a_thought(position: Position) -> tuple[int, ...]:
    """Moves that win immediately, else those that do not lose by the next stone, else all."""
    legal = position.legal_actions
    safe = tuple(action for action in legal if not position.play(action).winning_actions())
    return position.winning_actions() or safe or legal


def grade_peer(folder: Path) -> dict[str, Any]:
    """The grade of its last checkpoint."""
    config, game = peer_config(folder), pyspiel.load_game(GAME)
    model = alpha_zero._init_model_from_config(config)
    step = last_checkpoint(folder)
    model.load_checkpoint(step)
    evaluate = evaluator.AlphaZeroEvaluator(game, model)
    bot = mcts.MCTSBot(
        game, config.uct_c, SIMULATIONS, evaluate, solve=True, child_selection_fn=mcts.SearchNode.puct_value
    )
    lines = (folder / "learner.jsonl").read_text().splitlines()
    return {
        "steps": step,
        "games": json.loads(lines[-1])["total_trajectories"] if lines else 0,
        **_accuracies(RawPeer(game, evaluate), OpenSpielAgent(bot, game, f"OpenSpiel AlphaZero, {SIMULATIONS}")),
    }


def grade_ours(net: Path) -> dict[str, Any]:
    """The grade of the net of our run."""
    raw, searched = (make_agent(f"alphazero:net={net},simulations={number}") for number in (0, SIMULATIONS))
    games = len((net.parent / "games.csv").read_text().splitlines()) - 1
    return {"games": games, **_accuracies(raw, searched)}


def _accuracies(raw: Any, searched: Any) -> dict[str, Any]:
    whole = standard_suite(CONNECT_FOUR)
    part = whole.part(np.arange(0, len(whole), EVERY))
    found = {}
    for name, agent in (("net alone", raw), (f"{SIMULATIONS} simulations", searched)):
        graded = grade(agent, suite=part)
        low, high = graded.intervals["critical_accuracy"] or (0.0, 1.0)
        percents = [round(100 * share, 1) for share in (graded.critical_accuracy or 0.0, low, high)]
        found[f"critical, {name}"] = {"percent": percents[0], "interval": percents[1:], "of": graded.critical}
    return found


def main() -> None:
    if sys.argv[1] == _TRAIN:
        alpha_zero.alpha_zero(peer_config(Path(sys.argv[2])))
        return
    folder, minutes = Path(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 15.0
    peer = folder / "openspiel"
    peer.mkdir(parents=True, exist_ok=True)
    begin = time.strftime("%Y-%m-%d")
    train_for([sys.executable, __file__, _TRAIN, str(peer)], minutes)
    subprocess.run(
        [sys.executable, "-m", "inarow", "train", OURS, "--set", f"minutes={minutes}", "--out", str(folder / "ours")],
        check=True,
    )
    result = {
        "date": begin,
        "minutes": minutes,
        "cores": CORES,
        "openspiel": grade_peer(peer),
        "inarow": grade_ours(folder / "ours" / "net.onnx"),
    }
    RESULT.write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
