"""`inarow window-net`."""

from pathlib import Path

from inarow.cli.options import Json, Seed
from inarow.cli.output import print_facts, progress_bar
from inarow.learning.config import to_config
from inarow.learning.windows.net_training import NetTraining, save_trained, train_window_net


def window_net(
    out: Path,
    *,
    window: str = "4x4x4",
    episodes: int = 1_000_000,
    hidden: int = 128,
    alpha: float = 0.02,
    gamma: float = 0.95,
    epsilon: float = 0.3,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Train a small net for the windows of the agent window.

    Q-learning in self-play from random boards, as seen in windows: stones that gravity allows, not necessarily as many
    of each side. The same settings give the same net on every machine. Play with window:net=FILE.

    Args:
        out: The file to write.
        window: Rows x columns of the window x length of a line.
        episodes: Games of self-play.
        hidden: Units of the hidden layer.
        alpha: Learning rate, which falls linearly to 0.
        gamma: Discount factor.
        epsilon: Probability of a random move.

    Examples:
        inarow window-net small.npz --episodes 100000 --hidden 32
        inarow window-net wide.npz --window 4x5x4
    """
    settings = {"board": window, "episodes": episodes, "hidden": hidden, "alpha": alpha, "gamma": gamma}
    config = to_config({**settings, "epsilon": epsilon, "seed": seed}, NetTraining, "window-net")
    with progress_bar("episodes") as progress:
        net = train_window_net(config, progress)
    save_trained(net, config, out)
    facts = {"net": str(out), "agent": f"window:net={out}", "window": window, "episodes": episodes}
    print_facts(facts, json=json)
