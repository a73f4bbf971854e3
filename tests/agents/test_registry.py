from importlib.metadata import EntryPoint
from typing import Annotated, Literal

import msgspec
import pytest

import inarow as inarow_package
from inarow.agents import registry
from inarow.agents.agent import Decision
from inarow.agents.kind import AgentKind, format_agent, parameter_infos
from inarow.agents.registry import make_agent, parse_agent
from inarow.agents.simple import RandomAgent
from inarow.arena.game import play_game
from inarow.errors import FinishedGameError, InvalidAgentError
from inarow.games.position import Position
from inarow.search.limits import Limits
from inarow.search.minimax import heuristics
from tests.cli.command_line import document, inarow


class Parameters(msgspec.Struct, frozen=True, kw_only=True):
    """One parameter of each type."""

    depth: Annotated[int, msgspec.Meta(ge=1, le=20, description="plies")] = 4
    c: Annotated[float, msgspec.Meta(ge=0)] = 1.5
    prune: bool = True
    tie: Literal["first", "random"] = "first"
    net: str = "connect4"


@pytest.fixture
def probe(monkeypatch):
    kind = AgentKind("probe", "has one parameter of each type", Parameters, RandomAgent)
    monkeypatch.setattr(registry, "_OWN_KINDS", {**registry._OWN_KINDS, "probe": kind})
    _forget()
    yield kind
    _forget()


class NeedyParameters(msgspec.Struct, frozen=True, kw_only=True):
    """Nobody can make an agent of it by its name alone."""

    depth: int


PLUGINS = (
    AgentKind("sound", "is as good as any", Parameters, RandomAgent),
    AgentKind("needy", "has a parameter without default", NeedyParameters, RandomAgent),
)
NO_KINDS = ("sound",)


@pytest.fixture
def plugins(monkeypatch):
    """Entry points as bad packages have them, and a sound agent of one of them."""
    values = {
        "absent": "inarow_has_no_such_module:KINDS",
        "nothing": f"{__name__}:MISSING",
        "strings": f"{__name__}:NO_KINDS",
        "mixed": f"{__name__}:PLUGINS",
    }
    found = [EntryPoint(name, value, "inarow.agents") for name, value in values.items()]
    monkeypatch.setattr("inarow.plugins.entry_points", lambda group: found)
    _forget()
    yield
    _forget()


def _forget():
    parse_agent.cache_clear()
    registry.registry.cache_clear()
    registry._load_plugins.cache_clear()


def test_values_are_read_by_type(probe):
    kind, parameters = parse_agent("probe:depth=7,c=0.5,prune=false,tie=random,net=a.onnx")
    assert parameters == Parameters(depth=7, c=0.5, prune=False, tie="random", net="a.onnx")
    assert format_agent(kind, parameters) == "probe:depth=7,c=0.5,prune=false,tie=random,net=a.onnx"


def test_the_name_leaves_out_defaults(probe):
    assert make_agent("probe:depth=4,c=2").name == "probe:c=2.0"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "nobody",
            "there is no agent 'nobody'; agents are random, greedy, winblock, minimax, negamax, mcts, hybrid, q, ",
        ),
        ("", "there is no agent ''"),
        ("Random", "there is no agent 'Random'"),
        ("random:x=1", "random has no key 'x'; it takes none"),
        ("probe:breadth=1", "probe has no key 'breadth'; its keys are depth, c, prune, tie, net"),
        ("probe:", "probe has no key ''"),
        ("probe:depth", "depth of probe has no value; write probe:depth=4"),
        ("probe:depth=1,depth=2", "depth of probe is given twice"),
        ("probe:depth=0", "depth of probe is '0'; it must be a whole number from 1 to 20"),
        ("probe:depth=21", "it must be a whole number from 1 to 20"),
        ("probe:depth=1.5", "it must be a whole number from 1 to 20"),
        ("probe:depth=", "it must be a whole number from 1 to 20"),
        ("probe:c=-1", "it must be a number, at least 0"),
        ("probe:c=nan", "it must be a number, at least 0"),
        ("probe:prune=maybe", "it must be true or false"),
        ("probe:tie=last", "it must be one of first, random"),
        ("winblock:epsilon=1.01", "it must be a number from 0 to 1"),
        ("x" * 10_000, "has 10000 characters"),
        ("\x00\udcff", "there is no agent"),
        ("human", "human needs input"),
    ],
)
def test_a_bad_agent_string_is_answered_with_the_valid_ones(probe, text, reason):
    with pytest.raises(InvalidAgentError) as error:
        make_agent(text)
    assert reason in str(error.value)
    assert "\n" not in str(error.value)


def test_parameters_describe_themselves(probe):
    depth = parameter_infos(probe)[0]
    assert (depth.name, depth.kind, depth.default, depth.minimum, depth.maximum, depth.summary) == (
        "depth",
        "integer",
        4,
        1,
        20,
        "plies",
    )


def test_a_human_is_asked():
    agent = make_agent("human", ask=lambda position: position.legal_actions[-1])
    assert agent.decide(Position.start()).action == 6


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("absent", "the plug-in absent is broken: ModuleNotFoundError: No module named 'inarow_has_no_such_module'"),
        ("absent/minimax:depth=2", "the plug-in absent is broken"),
        ("nothing", "the plug-in nothing is broken: AttributeError"),
        ("strings", "the plug-in strings is broken: TypeError: \"'sound'\" is not an AgentKind"),
        ("needy", "the plug-in mixed is broken: TypeError: depth of needy has no default"),
        ("nobody", "there is no agent 'nobody'; agents are random, "),
        ("nobody", "; broken plug-ins are absent, nothing, strings, needy"),
    ],
)
def test_a_broken_plugin_is_reported_in_one_line_when_it_is_asked_for(plugins, text, reason):
    with pytest.raises(InvalidAgentError) as error:
        make_agent(text)
    assert reason in str(error.value)
    assert "\n" not in str(error.value)


def test_a_broken_plugin_does_not_hurt_the_others(plugins):
    assert make_agent("sound:depth=7").name == "sound:depth=7"
    assert make_agent("winblock").name == "winblock"
    assert "needy" not in registry.registry()


def test_broken_plugins_are_listed(plugins):
    documents = {agent["name"]: agent for agent in document("agents")}
    assert "broken" not in documents["sound"]
    assert documents["needy"]["parameters"] == []
    assert documents["needy"]["broken"].endswith("depth of needy has no default")
    rows = [line.split() for line in inarow("agents").stdout.splitlines()]
    assert {"absent", "nothing", "strings", "needy"} <= {row[0] for row in rows if row[1:2] == ["broken:"]}


# --- Registering ---


@pytest.fixture
def unregister(monkeypatch):
    monkeypatch.setattr(registry, "_registered", {})
    monkeypatch.setattr("inarow.plugins._registrations", {})
    yield
    _forget()


class Rightmost:
    """Plays the rightmost column."""

    def __init__(self, rng):
        self._rng = rng

    def decide(self, position):
        self._rng.random()
        return position.legal_actions[-1]


class Careful:
    """Takes everything there is."""

    def __init__(self, name, parameters):
        self.name, self._depth = name, parameters.depth

    def decide(self, position, *, limits=None, watch=None):
        decision = Decision(action=self._depth % 7, details={"limits": limits is not None})
        if watch is not None:
            watch(decision)
        return decision


def test_a_registered_class_plays_under_its_name(unregister):
    assert inarow_package.register_agent("rightmost")(Rightmost) is Rightmost
    agent = make_agent("rightmost")
    assert (agent.name, agent.decide(Position.start()).action) == ("rightmost", 6)
    assert agent.decide(Position.start(), limits=Limits(nodes=1), watch=print).action == 6
    assert registry.registry()["rightmost"].summary == "Plays the rightmost column."
    assert play_game(agent, make_agent("random", seed=1)).winner is not None


def test_a_registered_class_may_take_parameters_limits_and_a_watcher(unregister):
    inarow_package.register_agent("careful", parameters=Parameters, limits=("nodes",))(Careful)
    agent, seen = make_agent("careful:depth=5"), []
    assert agent.decide(Position.start(), limits=Limits(nodes=1), watch=seen.append).details == {"limits": True}
    assert (agent.name, seen[0].action) == ("careful:depth=5", 5)
    assert registry.registry()["careful"].limits == ("nodes",)


def test_a_registered_function_is_an_agent_or_makes_one(unregister):
    @inarow_package.register_agent("first", summary="the first column")
    def first(position):
        return position.legal_actions[0]

    inarow_package.register_agent("made")(lambda rng: Rightmost(rng))
    assert make_agent("first").decide(Position.start()).action == 0
    assert make_agent("made").decide(Position.start()).action == 6
    inarow_package.register_agent("first")(lambda position: position.legal_actions[1])  # as a notebook does
    assert make_agent("first").decide(Position.start()).action == 1
    with pytest.raises(FinishedGameError):
        make_agent("first").decide(Position.parse("1212121"))


@pytest.mark.parametrize(("name", "reason"), [("mcts", "the name is taken"), ("a:b", "names must"), ("", "names must")])
def test_a_bad_name_is_not_registered(unregister, name, reason):
    with pytest.raises(InvalidAgentError, match=reason):
        inarow_package.register_agent(name)(Rightmost)


def test_a_registered_heuristic_is_a_parameter(monkeypatch):
    monkeypatch.setattr(heuristics, "_FACTORIES", dict(heuristics._FACTORIES))
    with pytest.raises(
        InvalidAgentError, match="heuristic of minimax is 'twos'; it must be one of powers, squares, windows"
    ):
        make_agent("minimax:heuristic=twos")
    heuristics.register_heuristic("twos", heuristics._FACTORIES["powers"])
    for name in ("minimax:depth=2", "hybrid:simulations=4"):
        agent = make_agent(f"{name},heuristic=twos")
        assert agent.decide(Position.start()).action in range(7)
    assert "twos" in next(
        info.kind for info in parameter_infos(registry.registry()["minimax"]) if info.name == "heuristic"
    )


def test_limits_are_listed():
    documents = {agent["name"]: agent["limits"] for agent in document("agents")}
    assert documents["minimax"] == ["nodes", "depth", "seconds"]
    assert documents["random"] == documents["kaggle"] == []
    assert "limits: nodes," in inarow("agents").stdout
