"""Kaggle's ConnectX: the same rules, our agents for it, its agent files for us."""

import io
import os
import random
import tarfile
import warnings
from contextlib import redirect_stdout

import pytest

from inarow.adapters.kaggle import KaggleAgent
from inarow.agents.registry import make_agent, parse_agent
from inarow.arena.game import play_game
from inarow.errors import IllegalMoveError, InvalidAgentError, KaggleFileError, KaggleTimeoutError
from inarow.games.position import Position
from inarow.games.spec import GameSpec


def kaggle_environments():
    """The package, which talks much when it is imported."""
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        return pytest.importorskip("kaggle_environments")


def test_random_games_equal_connectx_step_by_step():
    make = kaggle_environments().make
    choices = random.Random(4)
    for _ in range(10):
        rows, columns = choices.randint(2, 9), choices.randint(2, 9)
        spec = GameSpec(rows, columns, choices.randint(2, max(rows, columns)))
        theirs = make("connectx", configuration={"rows": rows, "columns": columns, "inarow": spec.inarow})
        for _ in range(3):
            theirs.reset()
            position = Position.start(spec)
            while not theirs.done:
                assert theirs.state[0].observation.board == position.to_kaggle()
                board = theirs.state[0].observation.board
                assert tuple(column for column in range(columns) if board[column] == 0) == position.legal_actions
                action = choices.choice(position.legal_actions)
                mover = position.side_to_move - 1
                assert theirs.state[mover].status == "ACTIVE"
                theirs.step([action if side == mover else None for side in (0, 1)])
                position = position.play(action)
            assert position.is_over
            assert theirs.state[0].observation.board == position.to_kaggle()
            rewards = [state.reward for state in theirs.state]
            assert rewards == {1: [1, -1], 2: [-1, 1], None: [0, 0]}[position.winner]


def test_our_agents_play_for_kaggle():
    make = kaggle_environments().make
    random.seed(1)  # Kaggle's agent draws from there, and now and then wins
    for side in (0, 1):
        agents = [KaggleAgent("winblock", seed=2), "random"]
        game = make("connectx", debug=True)
        game.run(agents if side == 0 else agents[::-1])
        assert [state.status for state in game.state] == ["DONE", "DONE"]
        assert game.state[side].reward == 1


def test_an_agent_continues_with_its_game_and_takes_any_board():
    agent = KaggleAgent("mcts:simulations=40", seed=3)
    position = Position.start()
    alone = make_agent("mcts:simulations=40", seed=3)
    while not position.is_over:
        configuration = {"rows": 6, "columns": 7, "inarow": 4}
        action = agent({"board": position.to_kaggle(), "mark": position.side_to_move}, configuration)
        assert type(action) is int
        assert action == alone.decide(position).action  # so it keeps the tree
        position = position.play(action)
        if not position.is_over:
            position = position.play(position.legal_actions[0])
    assert agent({"board": [1, 1, 0, 2, 2, 0, 0, 0, 0], "mark": 1}) in range(9)  # Tic Tac Toe


FILES = {
    "the last one counts": "def other(x):\n    return 1\ndef agent(obs, config):\n    return config.columns - 1\n",
    "one argument": "def agent(obs):\n    return [c for c in range(7) if obs.board[c] == 0][-1]\n",
    "no argument": "def agent():\n    return 6\n",
    "an object": "class A:\n    def __call__(self, obs, config):\n        return 6\nagent = A()\n",
    "printing": "print('hello')\ndef agent(obs, config):\n    print('{}')\n    return 6\n",
    "helpers beside it": "from helper import COLUMN\ndef agent(obs, config):\n    return COLUMN\n",
}


@pytest.mark.parametrize("name", FILES)
def test_files_are_loaded_by_kaggles_rules(name, tmp_path):
    (tmp_path / "helper.py").write_text("COLUMN = 6\n")
    file = tmp_path / "main.py"
    file.write_text(FILES[name])
    agent = make_agent(f"kaggle:file={file}")
    assert agent.decide(Position.start()).action == 6
    assert agent.decide(Position.parse("74")).action == 6


BAD_ANSWERS = {
    "import numpy\ndef agent(obs, config):\n    return numpy.int64(3)\n": (IllegalMoveError, "answered int64"),
    "def agent(obs, config):\n    return True\n": (IllegalMoveError, "bool 'True'"),
    "def agent(obs, config):\n    return 3.0\n": (IllegalMoveError, "float '3.0'"),
    "def agent(obs, config):\n    return 1 / 0\n": (KaggleFileError, "ZeroDivisionError: division by zero"),
    "def agent(obs, config):\n    raise SystemExit(0)\n": (KaggleFileError, "SystemExit: 0"),
    "import os\ndef agent(obs, config):\n    os._exit(3)\n": (KaggleFileError, "the process of the file ended"),
    "def agent(obs, config:\n": (KaggleFileError, "SyntaxError"),
    "import inarow\ndef agent(obs, config):\n    return 3\n": (KaggleFileError, "No module named 'inarow'"),
    "def agent(obs, config):\n    while True: pass\n": (KaggleTimeoutError, "time is up: no answer within 0.3 s"),
    "import time\ndef agent(obs, config):\n    time.sleep(0.6)\n    return 3\n": (
        KaggleTimeoutError,
        "time is up: 0.6",
    ),
}


@pytest.mark.parametrize("source", BAD_ANSWERS)
def test_bad_answers_are_reported_in_one_line(source, tmp_path, monkeypatch):
    monkeypatch.setattr("inarow.agents.kaggle._START_SECONDS", 3.0)
    file = tmp_path / "main.py"
    file.write_text(source)
    kind, reason = BAD_ANSWERS[source]
    limits = ",seconds=0.2,overage=0.1" if "time is up" in reason else ""
    with pytest.raises(kind) as caught:
        make_agent(f"kaggle:file={file}{limits}").decide(Position.start())
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_whose_time_is_up_loses_by_a_time_out(tmp_path):
    file = tmp_path / "main.py"
    file.write_text("import time\ndef agent(obs, config):\n    time.sleep(0.1)\n    return 3\n")
    record = play_game(make_agent(f"kaggle:file={file},seconds=0.01,overage=0"), make_agent("random"))
    assert (record.winner, record.termination) == (2, "time-out")
    assert record.fault.startswith("time is up: ")


def write_archive(path, files):
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))


def test_an_archive_is_played_with_all_it_holds(tmp_path):
    main = (
        "import os\nfrom helper import COLUMN\ndef agent(obs, config):\n"
        "    folder = os.path.dirname(config.__raw_path__)\n"
        "    return COLUMN + int(open(os.path.join(folder, 'net', 'weights.txt')).read())\n"
    )
    files = {"main.py": main, "helper.py": "COLUMN = 4\n", "net/weights.txt": "2"}
    write_archive(tmp_path / "submission.tar.gz", files)
    agent = make_agent(f"kaggle:file={tmp_path / 'submission.tar.gz'}")
    assert [agent.decide(Position.parse(moves)).action for moves in ("", "71", "", "74")] == [6, 6, 6, 6]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["submission.tar.gz"]


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"agent.py": "def agent():\n    return 3\n"}, "it has no main.py"),
        ({"main.py": "", "../main.py": ""}, "outside the destination"),
        ({"main.py": "#" * 10_000}, "it holds more than 0 MB"),
        (None, "not a gzip file"),
    ],
)
def test_bad_archives_are_reported_in_one_line(files, reason, tmp_path, monkeypatch):
    monkeypatch.setattr("inarow.agents.kaggle._ARCHIVE_BYTES", 5_000)
    file = tmp_path / "submission.tar.gz"
    if files is None:
        file.write_bytes(b"no archive")
    else:
        write_archive(file, files)
    with pytest.raises(KaggleFileError) as caught:
        make_agent(f"kaggle:file={file}").decide(Position.start())
    assert str(caught.value).startswith("submission.tar.gz is not a submission: ")
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_none_is_column_0_as_on_kaggle(tmp_path):
    file = tmp_path / "main.py"
    file.write_text("def agent(obs, config):\n    return None\n")
    assert make_agent(f"kaggle:file={file}").decide(Position.start()).action == 0


def test_a_file_sees_an_empty_folder_and_no_secrets(tmp_path, monkeypatch):
    monkeypatch.setenv("MY_TOKEN", "secret")
    file = tmp_path / "main.py"
    file.write_text(
        "import os\nnames = sorted(set(os.environ) - {'PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'OMP_NUM_THREADS'})\n"
        "def agent(obs, config):\n    assert names == ['HOME'], names\n    assert os.listdir('.') == []\n    return 5\n"
    )
    assert "MY_TOKEN" in os.environ
    assert make_agent(f"kaggle:file={file}").decide(Position.start()).action == 5


def test_every_game_begins_with_a_new_process(tmp_path):
    file = tmp_path / "main.py"
    file.write_text("calls = []\ndef agent(obs, config):\n    calls.append(1)\n    return len(calls)\n")
    agent = make_agent(f"kaggle:file={file}")
    for _ in range(2):
        assert [agent.decide(Position.parse(moves)).action for moves in ("", "21", "2134")] == [1, 2, 3]
    record = play_game(agent, make_agent("random"))
    assert record.opening == 0
    assert len(record.actions) >= 7


def test_the_file_is_part_of_the_agent(tmp_path):
    for name in ("", "\0", "x" * 900, str(tmp_path)):
        with pytest.raises(InvalidAgentError, match=r"kaggle needs an agent file; '.*' is not a file"):
            make_agent(f"kaggle:file={name}")
    file = tmp_path / "main.py"
    file.write_text("def agent(obs):\n    return 3\n")
    kind, parameters = parse_agent(f"kaggle:file={file}")
    before = kind.content_hash(parameters)
    file.write_text("def agent(obs):\n    return 4\n")
    assert kind.content_hash(parameters) != before
    with pytest.raises(KaggleFileError, match="which has gravity, not 3x3x3/free"):
        make_agent(f"kaggle:file={file}").decide(Position.start(GameSpec.parse("tictactoe")))
